// Ids of tests.

/** Gives the tests of one file their ids, in file order: the second of a name ends in ` #2`. */
export function createNamer(file) {
  const ids = new Set();
  return (names) => {
    const plain = [file, ...names].join(' > ');
    let id = plain;
    // a test may itself be named like the second of another
    for (let count = 2; ids.has(id); count += 1) id = `${plain} #${count}`;
    ids.add(id);
    return id;
  };
}

/** A second test of one name: makes ids free by ` #2`, ` #3` …, in constant time each; what is taken must only grow. */
export function createNumbering(taken: Pick<ReadonlyMap<string, unknown>, 'has'>): (name: string) => string {
  const next = new Map<string, number>();
  return (name) => {
    let count = next.get(name) ?? 2;
    while (taken.has(`${name} #${count}`)) count += 1;
    next.set(name, count + 1);
    return `${name} #${count}`;
  };
}

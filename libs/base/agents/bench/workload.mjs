// The JavaScript twin of workload.py.
class Node {
  constructor(key) {
    this.key = key;
    this.left = null;
    this.right = null;
  }
}

function insert(root, key) {
  let node = root;
  for (;;) {
    if (key < node.key) {
      if (node.left === null) {
        node.left = new Node(key);
        return;
      }
      node = node.left;
    } else {
      if (node.right === null) {
        node.right = new Node(key);
        return;
      }
      node = node.right;
    }
  }
}

function depth(node) {
  if (node === null) return 0;
  return 1 + Math.max(depth(node.left), depth(node.right));
}

export function run(size) {
  let seed = 12345;
  const root = new Node(2 ** 30);
  const counts = new Map();
  for (let index = 0; index < size; index += 1) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 1;
    insert(root, seed);
    const digit = seed % 10;
    counts.set(digit, (counts.get(digit) ?? 0) + 1);
  }
  const total = [...counts.values()].map((value) => value * value).reduce((sum, value) => sum + value, 0);
  return [depth(root), total];
}

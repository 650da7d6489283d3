"""Thirty lines of pure Python: a search tree, dictionaries, recursion, a comprehension."""


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(root, key):
    node = root
    while True:
        if key < node.key:
            if node.left is None:
                node.left = Node(key)
                return
            node = node.left
        else:
            if node.right is None:
                node.right = Node(key)
                return
            node = node.right


def depth(node):
    if node is None:
        return 0
    return 1 + max(depth(node.left), depth(node.right))


def run(size):
    seed, root, counts = 12345, Node(2 ** 30), {}
    for _ in range(size):
        seed = (seed * 1103515245 + 12345) % 2 ** 31
        insert(root, seed)
        digit = seed % 10
        counts[digit] = counts.get(digit, 0) + 1
    total = sum([value * value for value in counts.values()])
    return depth(root), total

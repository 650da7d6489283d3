import type { TreeNode } from '../copy-tree.ts';
import { similarity } from '../rank-names.ts';
import type { Replacement, Site, Template } from '../template.ts';

/** Alternatives proposed for one place, of the same object and of others. */
const MAX_OWN = 14;
const MAX_OTHER = 4;
const RECEIVERS = new Set(['self', 'cls', 'this']);

/** Another attribute or property in the place of one that is read, called or assigned; `x` for `self.x` and back. */
export const members: Template = {
  name: 'member',
  *propose(site) {
    for (const node of site.nodes) {
      yield* otherProperty(site, node);
      yield* onReceiver(site, node);
    }
  },
};

function* otherProperty(site: Site, node: TreeNode): Iterable<Replacement> {
  const member = site.grammar.member(node);
  if (!member) return;
  const { object, property } = member;
  const name = site.text(property);
  const isCalled = node.field === 'function';
  const seen = site.memberNames(site.text(object), isCalled);
  const role = isCalled ? 'method' : 'attribute';
  const isIdle = (other: string) => isOtherSide(site, node, site.source.slice(node.start, property.start) + other);
  const spelled = bySpelling(seen.own, name);
  const own = [...spelled.filter((one) => seen.unread.has(one)), ...spelled.filter((one) => !seen.unread.has(one))];
  for (const [position, other] of own
    .filter((one) => !isIdle(one))
    .slice(0, MAX_OWN)
    .entries()) {
    const place = seen.unread.has(other) ? 'unread' : position < 1 ? 'first' : position < 3 ? 'near' : 'far';
    const variant = `${role}-own-${place}`;
    const fit = place === 'far' ? 1 / (1 + (position - 3) / 4) : 1;
    yield { start: property.start, end: property.end, text: other, variant, fit };
  }
  const foreign = seen.other.filter((candidate) => !seen.own.includes(candidate) && similarity(name, candidate) > 0);
  const keys = seen.keys.includes(name) ? seen.keys : [];
  const others = [...new Set([...bySpelling(foreign, name), ...bySpelling(keys, name)])];
  for (const [position, other] of others.slice(0, MAX_OTHER).entries()) {
    const variant = `${role}-other-${position < 1 ? 'first' : 'near'}`;
    yield { start: property.start, end: property.end, text: other, variant };
  }
  if (isCalled || !RECEIVERS.has(site.text(object)) || !site.isVisible(name, node)) return;
  yield { start: node.start, end: node.end, text: name, variant: 'receiver-dropped' };
}

/** `self.a = self.a`, `self.a < self.a`. */
function isOtherSide(site: Site, { parent, start }: TreeNode, text: string): boolean {
  if (!parent || !/assignment|comparison|binary/.test(parent.type)) return false;
  return parent.children.some((child) => child.start !== start && site.text(child) === text);
}

/** Likest first, equal ones as the file has them. */
function bySpelling(names: readonly string[], name: string): string[] {
  return names
    .filter((candidate) => candidate !== name)
    .map((candidate, order) => ({ candidate, order, alike: similarity(name, candidate) }))
    .sort((left, right) => right.alike - left.alike || left.order - right.order)
    .map(({ candidate }) => candidate);
}

/** `total` becomes `self.total` where the class has such an attribute. */
function* onReceiver(site: Site, node: TreeNode): Iterable<Replacement> {
  if (node.type !== 'identifier' || node.field === 'function' || RECEIVERS.has(site.text(node))) return;
  const name = site.text(node);
  const receiver = [...RECEIVERS].find((candidate) => site.memberNames(candidate, false).own.includes(name));
  if (!receiver || !isReadable(site, node, receiver)) return;
  yield { start: node.start, end: node.end, text: `${receiver}.${name}`, variant: 'receiver-added' };
}

function isReadable(site: Site, node: TreeNode, receiver: string): boolean {
  return site.isRead(node) && (receiver === 'this' || site.isVisible(receiver, node));
}

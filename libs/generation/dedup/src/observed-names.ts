// Where the name of a local variable can be seen from outside, so that renaming it makes another program.
import type { FlatTree } from '@h/syntax';

/** Builtins and members that read frames, scopes or code by name. */
const PYTHON_OBSERVERS = new Set(
  (
    'locals vars dir globals eval exec execfile compile inspect settrace setprofile breakpoint pdb cgitb traceback ' +
    '_getframe _current_frames currentframe f_locals f_back tb_frame gi_frame cr_frame ag_frame gi_yieldfrom __code__ __closure__ ' +
    'co_varnames co_names co_freevars co_cellvars co_code f_code gi_code cr_code capture_locals dis ' +
    'getsource getclosurevars getgeneratorlocals stack trace __builtins__ builtins'
  ).split(' '),
);

/** Any of the observers is named, or a formatted string prints the source of a field. */
export function isObservedPython(tree: FlatTree): boolean {
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kind(node);
    if (kind === 'identifier' && PYTHON_OBSERVERS.has(tree.text.slice(tree.start(node), tree.end(node)))) return true;
    if (kind === 'exec_statement' || (kind === ':=' && tree.kind(tree.parent(node)) === 'interpolation')) return true;
  }
  return false;
}

/** A direct `eval` or a `with` looks names up by their spelling; a namespace of TypeScript makes members of them. */
export function isObservedJavaScript(tree: FlatTree): boolean {
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kind(node);
    if (kind === 'with_statement' || kind === 'internal_module' || kind === 'module') return true;
    if (kind === 'identifier' && tree.text.slice(tree.start(node), tree.end(node)) === 'eval') return true;
  }
  return false;
}

const NAMED_BY_TARGET = new Set(['arrow_function', 'function_expression', 'generator_function', 'class']);

/**
 * An occurrence of a name that gives it to something else: the key of a shorthand property, a property made of a parameter, a tag of
 * JSX, a member of an enum, or a function or class that takes its name from the variable it is put in.
 */
export function isObservableBinding(tree: FlatTree, node: number): boolean {
  if (tree.language === 'python') return false;
  if (/property_identifier/.test(tree.kind(node))) return true;
  const parent = tree.parent(node);
  const kind = tree.kind(parent);
  if (kind.startsWith('jsx_')) return true;
  if (kind === 'required_parameter' || kind === 'optional_parameter') {
    for (let child = parent + 1; child < tree.next(parent); child = tree.next(child)) {
      if (/^(?:accessibility_modifier|override_modifier|:readonly)$/.test(tree.kind(child))) return true;
    }
  }
  const field = tree.field(node);
  if (field !== 'left' && field !== 'name' && field !== 'pattern') return false;
  for (let child = parent + 1; child < tree.next(parent); child = tree.next(child)) {
    if ((tree.field(child) === 'right' || tree.field(child) === 'value') && isNameless(tree, child)) return true;
  }
  return false;
}

function isNameless(tree: FlatTree, node: number): boolean {
  let value = node;
  while (tree.kind(value) === 'parenthesized_expression') value += 2; // past the bracket
  return NAMED_BY_TARGET.has(tree.kind(value));
}

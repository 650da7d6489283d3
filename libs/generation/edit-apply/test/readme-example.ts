import { applyEdits, createGate } from '@h/edit-apply';

const files = { 'area.py': 'def area(w, h):\n    return w + h\n\n\ndef ring(w, h):\n    return 2 * (w + h)\n' };
const gate = await createGate(['python']);
const fix = (search: string, replace: string) =>
  applyEdits(files, { file: 'area.py', blocks: [{ search, replace }] }, { gate });

export const good = fix('return w + h', 'return w * h'); // status 'applied': the bytes and a diff that `git apply` takes
export const twice = fix('w + h', 'w * h'); // 'ambiguous_match', matches [[2, 2], [6, 6]]
export const tabs = fix('\treturn w + h', '\treturn w * h'); // 'not_found', nearest { span: [2, 2], cause: 'tabs', … }
export const name = fix('return w + h', 'return w * height'); // 'undefined_name', diagnostics [{ line: 2, … }]

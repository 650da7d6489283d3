// Loader hooks: `import 'node:test'` gets H's copy, from which this is built. Where hooks run in a thread of their own
// (before Node 24), `initialize` brings the names.
const ADDRESS = 'h-agent:node-test';
let names = [];

export function initialize(data) {
  names = data.names;
}

export function resolve(specifier, context, next) {
  const required = context.conditions?.includes('require') === true;
  if (specifier !== 'node:test' || required || context.parentURL?.includes('/.h-agent/'))
    return next(specifier, context);
  return { url: ADDRESS, format: 'module', shortCircuit: true };
}

export function load(url, context, next) {
  return url === ADDRESS ? { format: 'module', source: sourceOf(names), shortCircuit: true } : next(url, context);
}

function sourceOf(list) {
  const lines = list
    .filter((name) => name !== 'default')
    .map((name, index) => `const e${index} = m[${JSON.stringify(name)}]; export { e${index} as ${name} };`);
  return `const m = process[Symbol.for('h.agent.node-test')];\nexport default m;\n${lines.join('\n')}\n`;
}

import { proposeCandidates, scriptedModel } from '@h/llm-stub';

/** Stands for a model. A real one: `openAiCompatible({ url, model, apiKey })`, or your own client: `textModel(ask)`. */
const model = scriptedModel([
  '{"candidates": [{"search": "a - b", "replace": "a + b"}]}',
  'Sure! Change the minus to a plus.',
]);

const question = {
  intent: {
    target: { entity: 'add', file: 'add.js', span: [1, 3] as [number, number] },
    requirement: 'add(1, 2) is 3',
    dependencies: [],
    constraints: [],
    validation: ['add.test.js > adds'],
  },
  form: 'search_replace' as const,
  before: '0'.repeat(64), // SHA-256 of add.js
  targetText: 'function add(a, b) {\n  return a - b;\n}\n',
};
export const good = await proposeCandidates(question, model.call);
// good.batch.candidates: [{ candidate_id: '…', file: 'add.js', span: [1, 3], blocks: [{ search: 'a - b', replace: 'a + b' }], … }]
export const prose = await proposeCandidates(question, model.call);
// prose.batch: { candidates: [], regenerate: true, … }, prose.call: { status: 'no_op', kind: 'json', reason: 'not one JSON document', … }

import { callOnce, type ModelEntry } from '@h/llm-stub';

/** Your own client: a request in, the text of the answer out. */
const myClient = async () => '{"severity": "high"}';

const entry: ModelEntry = {
  name: 'triage/1',
  temperature: 0,
  max_tokens: 64,
  seed: 0,
  instructions: 'How severe is the report? Answer {"severity": "low" | "high"} and nothing else.',
  inputs: [{ name: 'report', max_bytes: 4096, max_text: 2000 }],
  max_payload_bytes: 8192,
  max_answer_bytes: 1024,
  fires_on: [{ path: 'report', must: 'be_nonempty' }],
  schema: {
    type: 'object',
    properties: { severity: { enum: ['low', 'high'] } },
    required: ['severity'],
    additionalProperties: false,
  },
  answer_rules: [],
  fallback: { severity: 'low' },
};
export const good = await callOnce(entry, { report: 'All orders are lost.' }, { call: myClient });
// { status: 'answered', answer: { severity: 'high' }, outcome: { kind: 'ok', sent: { … }, … }, … }
export const prose = await callOnce(entry, { report: 'A typo.' }, { call: async () => 'Hm, rather low.' });
// { status: 'no_op', kind: 'json', reason: 'not one JSON document', fallback: { severity: 'low' }, … }

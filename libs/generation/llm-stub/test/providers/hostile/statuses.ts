// Replies that say by their status, or by a body of errors, that there is no answer.
import { answers, completion, GOOD, type HostileCase, KEY, response, sends } from './case.ts';

const error = (fields: object) => JSON.stringify({ error: fields });
const JSON_TYPE = ['content-type: application/json'];

/** Bodies as well-known servers write them. */
const BODIES: readonly (readonly [name: string, status: string, kind: HostileCase['kind'], body: string])[] = [
  [
    'a wrong key, OpenAI',
    '401 Unauthorized',
    'auth',
    error({ message: `Incorrect API key provided: ${KEY}.`, code: 'invalid_api_key' }),
  ],
  ['a missing key, vLLM', '401 Unauthorized', 'auth', '{"error":"Unauthorized"}'],
  ['no permission', '403 Forbidden', 'auth', error({ message: 'Country not supported', code: 'unsupported_country' })],
  ['no permission, a proxy', '403 Forbidden', 'auth', '<html><title>403</title></html>'],
  ['a proxy that wants a login', '407 Proxy Authentication Required', 'transport', ''],
  ['no credit, OpenRouter', '402 Payment Required', 'budget', error({ code: 402, message: 'Insufficient credits' })],
  ['no quota, OpenAI', '429 Too Many Requests', 'rate', error({ code: 'insufficient_quota', message: 'quota' })],
  ['too many requests', '429 Too Many Requests', 'rate', error({ code: 'rate_limit_exceeded', message: 'slow down' })],
  ['too many requests, an empty body', '429 Too Many Requests', 'rate', ''],
  [
    'a prompt that is too long, OpenAI',
    '400 Bad Request',
    'transport',
    error({ code: 'context_length_exceeded', message: 'too long' }),
  ],
  [
    'a prompt that is too long, llama.cpp',
    '400 Bad Request',
    'transport',
    error({ code: 400, message: 'exceeds the available context size', type: 'exceed_context_size_error' }),
  ],
  [
    'an unsupported value',
    '400 Bad Request',
    'transport',
    error({ param: 'temperature', code: 'unsupported_value', message: "'temperature' does not support 0.8" }),
  ],
  [
    'an unsupported parameter',
    '400 Bad Request',
    'transport',
    error({ param: 'seed', code: 'unsupported_parameter', message: 'seed' }),
  ],
  ['an invalid schema', '400 Bad Request', 'transport', error({ param: 'response_format', message: 'Invalid schema' })],
  [
    'a validation error, vLLM',
    '400 Bad Request',
    'transport',
    '{"object":"error","message":"[{\'type\': \'extra_forbidden\'}]","code":400}',
  ],
  [
    'a validation error, FastAPI',
    '422 Unprocessable Entity',
    'transport',
    '{"detail":[{"loc":["body","seed"],"msg":"x"}]}',
  ],
  ['a model that is not there, Ollama', '404 Not Found', 'transport', error({ message: 'model "tiny" not found' })],
  ['a path that is not there', '404 Not Found', 'transport', '404 page not found'],
  ['a method that is not allowed', '405 Method Not Allowed', 'transport', '{"detail":"Method Not Allowed"}'],
  ['a body that is too large', '413 Payload Too Large', 'budget', '<html>413</html>'],
  ['a media type nobody wants', '415 Unsupported Media Type', 'transport', ''],
  ['a teapot', "418 I'm a teapot", 'transport', ''],
  ['a request that took too long', '408 Request Timeout', 'timeout', ''],
  ['a failure inside', '500 Internal Server Error', 'transport', error({ message: 'The server had an error' })],
  ['a failure inside with a good body', '500 Internal Server Error', 'transport', GOOD],
  [
    'a trace',
    '500 Internal Server Error',
    'transport',
    `Traceback (most recent call last):\n  headers = {'Authorization': 'Bearer ${KEY}'}`,
  ],
  ['nothing implemented', '501 Not Implemented', 'transport', error({ message: 'not supported' })],
  ['a bad gateway', '502 Bad Gateway', 'transport', '<html><center>nginx</center></html>'],
  [
    'a model that loads, llama.cpp',
    '503 Service Unavailable',
    'transport',
    error({ code: 503, message: 'Loading model', type: 'unavailable_error' }),
  ],
  ['an overload', '503 Service Unavailable', 'transport', error({ message: 'overloaded' })],
  ['a gateway that waited', '504 Gateway Timeout', 'timeout', '<html>504</html>'],
  ['an overload, Anthropic', '529 Overloaded', 'transport', '{"type":"error","error":{"type":"overloaded_error"}}'],
  ['a bandwidth limit', '509 Bandwidth Limit Exceeded', 'transport', ''],
  ['a status of Cloudflare', '524 A Timeout Occurred', 'transport', 'error code: 524'],
  ['created', '201 Created', 'transport', GOOD],
  ['accepted', '202 Accepted', 'transport', '{"request_id":"1"}'],
  ['partial content', '206 Partial Content', 'transport', GOOD],
  ['multiple choices', '300 Multiple Choices', 'transport', GOOD],
  ['not modified', '304 Not Modified', 'transport', ''],
];

const redirects = [301, 302, 303, 307, 308].flatMap((status): HostileCase[] => [
  {
    name: `${status} to itself`,
    kind: 'transport',
    behave: answers('', `${status} Moved`, ['location: ?again']),
  },
  {
    name: `${status} elsewhere`,
    kind: 'transport',
    behave: answers(GOOD, `${status} Moved`, ['location: http://127.0.0.1:9/v1/chat/completions']),
  },
]);

export const STATUSES: readonly HostileCase[] = [
  ...BODIES.map(([name, status, kind, body]) => ({ name, kind, behave: answers(body, status) })),
  ...redirects,
  { name: '204', kind: 'transport', behave: sends('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n') },
  {
    name: '429 that says when to come back',
    kind: 'rate',
    behave: answers('', '429 Too Many Requests', ['retry-after: 0', 'x-ratelimit-remaining-requests: 0']),
  },
  {
    name: '503 that says when to come back',
    kind: 'transport',
    behave: answers('', '503 Unavailable', ['retry-after: 0']),
  },
  {
    name: '401 that asks for a login',
    kind: 'auth',
    behave: answers('', '401 Unauthorized', ['www-authenticate: Basic realm="x"']),
  },
  {
    name: '401 whose body never ends',
    kind: 'auth',
    behave: (socket) => void socket.write(`HTTP/1.1 401 Unauthorized\r\ncontent-length: 99\r\n\r\n{"error"`),
  },
  {
    name: '401 whose body is cut',
    kind: 'auth',
    behave: sends('HTTP/1.1 401 Unauthorized\r\ncontent-length: 999\r\n\r\n{"error"'),
  },
  {
    name: '429 with a body beyond all bounds',
    kind: 'rate',
    behave: answers(Buffer.alloc(3_000_000, 32), '429 Too Many Requests'),
  },
  {
    name: '400 with a body that repeats the key',
    kind: 'transport',
    behave: answers(error({ param: KEY, message: KEY }), '400 Bad Request'),
  },
  { name: 'an error with status 200', kind: 'transport', behave: answers(error({ message: 'overloaded' })) },
  {
    name: 'an error with status 200 beside a good answer',
    kind: 'transport',
    behave: answers(completion('{}', {}, {}, { error: { code: 502 } })),
  },
  { name: 'an error with status 200 as a text', kind: 'transport', behave: answers('{"error":"model not found"}') },
  { name: 'a status nobody knows', kind: 'transport', behave: answers(GOOD, '299 Odd') },
  {
    name: 'a hint before the answer (103)',
    kind: 'ok',
    behave: (socket) =>
      void socket.end(Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), response(GOOD)])),
  },
  {
    name: 'processing before the answer (102)',
    kind: 'ok',
    behave: (socket) =>
      void socket.end(
        Buffer.concat([Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'), response(GOOD, '200 OK', JSON_TYPE)]),
      ),
  },
];

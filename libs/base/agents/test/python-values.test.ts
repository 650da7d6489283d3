import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samplePythons } from './present-pythons.ts';

const agents = join(import.meta.dirname, '../agents/python');
const script = join(import.meta.dirname, 'fixtures/hostile.py');

interface Seen {
  readonly type: string;
  readonly text: string;
  readonly truncated: boolean;
  readonly masked: boolean;
  readonly ref: boolean;
  readonly tripped: string[];
  readonly ms: number;
  readonly stable: boolean;
  readonly bytes: number;
}

/** Name of the value in hostile.py, type, text, and whether something is not shown. */
const EXPECTED: [string, string, string, boolean][] = [
  ['every_method_raises', 'Trapped', 'Trapped{x: 1}', false],
  ['class_that_lies', 'Trapped', 'Trapped{x: 1}', false],
  ['dict_that_is_a_property', 'Trapped', '<Trapped>', true],
  ['slots_and_dict_that_lie', 'Trapped', 'Trapped{kept: 1, own: 2}', false],
  ['instance_of_a_metaclass', 'Trapped', 'Trapped{x: 1}', false],
  ['class_of_a_metaclass', 'Meta', '<class __main__.Odd>', false],
  ['slow_property', 'Slow', 'Slow{seen: 1}', false],
  ['list_subclass', 'Trapped', 'Trapped([1, 2])', false],
  ['dict_subclass', 'Trapped', "Trapped({'a': 1})", false],
  ['tuple_subclass', 'Trapped', 'Trapped((1, 2))', false],
  ['set_subclass', 'Trapped', 'Trapped({1})', false],
  ['frozenset_subclass', 'Trapped', 'Trapped(frozenset({1}))', false],
  ['str_subclass', 'Trapped', "Trapped('text')", false],
  ['bytes_subclass', 'Trapped', "Trapped(b'data')", false],
  ['int_subclass', 'Trapped', 'Trapped(5)', false],
  ['float_subclass', 'Trapped', 'Trapped(0.5)', false],
  ['complex_subclass', 'Trapped', 'Trapped((1+2j))', false],
  ['bytearray_subclass', 'Trapped', "Trapped(bytearray(b'ab'))", false],
  ['deque_subclass', 'Trapped', 'Trapped(deque([1]))', false],
  ['exception_subclass', 'Trapped', "Trapped('why')", false],
  ['exception_with_slots', 'Odd', "Odd('odd'){code: 3}", false],
  ['exception_with_hostile_argument', 'KeyError', 'KeyError(Trapped{x: 1})', false],
  ['hostile_items_in_a_list', 'list', '[Trapped{x: 1}, Odd{}]', false],
  ['hostile_keys', 'dict', '{Trapped{x: 1}: 2}', false],
  ['hostile_set_items', 'set', '{Trapped{x: 1}}', false],
  ['cyclic_list', 'list', '[<cycle>]', false],
  ['cyclic_objects', 'Node', 'Node{to: Node{to: Node<cycle>}}', false],
  ['dict_in_itself', 'dict', "{'self': <cycle>}", false],
  ['large_set', 'set', '{… 1000000 items}', true],
  ['deep_list', 'list', '[[[[…]]]]', true],
  ['huge_int', 'int', '<int of 280736 bits>', true],
  ['nan', 'list', '[nan, inf, -0.0]', false],
  ['odd_names', 'Od\\nd', 'Od\\nd{a b: 1, x: 2}', false],
  ['keys_that_are_no_text', 'Any', 'Any{5: 1}', false],
  ['qualified_name_of_a_str_subclass', 'type', '<class __main__.Lie>', false],
  ['module_that_is_no_text', 'type', '<class Plain>', false],
  ['slots_only', 'Slots', 'Slots{a: 1}', false],
  ['data_class', 'Point', 'Point{x: 1, y: [2]}', false],
  ['named_tuple', 'Pair', "Pair{left: 1, right: 'r'}", false],
  ['false_named_tuple', 'False', 'False((1, 2))', false],
  ['enumeration', 'Color', "Color{_name_: 'RED', _value_: 1}", false],
  ['flag', 'Bits', "Bits{_name_: 'A', _value_: 1}", false],
  ['like_numpy', 'Array', 'Array{shape: (2, 2)}', false],
  ['generator', 'generator', '<generator>', true],
  ['iterator', 'map', '<map>', true],
  ['lock', 'lock', '<lock>', true],
  ['partial', 'partial', '<partial>', true],
  ['open_file', 'StringIO', '<StringIO>', true],
  ['pattern', 'Pattern', '<Pattern>', true],
  ['code_and_frame', 'list', '[<code>, <frame>]', true],
  ['ordered_and_default', 'list', "[OrderedDict({'a': 1}), defaultdict({'a': 1}), Counter({'a': 2})]", false],
  [
    'views',
    'list',
    "[dict_keys(['a']), dict_values([1]), dict_items([('a', 1)]), range(0, 3), slice(1, None, Trapped{x: 1})]",
    false,
  ],
  [
    'times',
    'list',
    '[datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5, 6), datetime.timedelta(days=1), <datetime>]',
    true,
  ],
  [
    'numbers',
    'list',
    "[Decimal('1.50'), Fraction{_denominator: 3, _numerator: 1}, Decimal('100000'), <Decimal>]",
    true,
  ],
  [
    'functions',
    'list',
    '[<function trap>, <function len>, <function made>, <function append>, <method trapped>, <module functools>, <class int>]',
    false,
  ],
  ['mapping_proxy', 'mappingproxy', '<mappingproxy>', true],
  ['arrays', 'list', "[<array>, <memoryview>, bytearray(b'y')]", true],
  ['context_manager', 'ExitStack', 'ExitStack{_exit_callbacks: deque([])}', false],
  ['instance_dict_of_a_subclass', 'Plain', 'Plain{x: 1}', false],
  ['descriptor_of_another_class', 'Borrower', 'Borrower{}', false],
  ['attribute_named_as_the_traps', 'Plain', 'Plain{}', false],
  ['slow_repr', 'Slow', 'Slow{}', false],
  ['shared_identity', 'list', "[{'x': 1}, {'x': 1}, ({'x': 1},)]", false],
  ['coroutine', 'coroutine', '<coroutine>', true],
  ['asynchronous_generator', 'async_generator', '<async_generator>', true],
  [
    'module_that_loads_lazily',
    'Lazy',
    "Lazy{__name__: 'lazy', __doc__: None, __package__: None, __loader__: None, __spec__: None}",
    true,
  ],
  ['cached_property_not_yet_read', 'Lazy', 'Lazy{kept: 1}', false],
  ['descriptor_with_a_getter', 'Owner', 'Owner{field: 2}', false],
  ['many_bases', 'Kind199', 'Kind199{s0: 1, s199: 1}', false],
  ['huge_view', 'memoryview', '<memoryview>', true],
  ['chain_of_objects', 'Node', 'Node{to: Node{to: Node{to: Node{to: Node…}}}}', true],
  ['traceback', 'traceback', '<traceback>', true],
  ['environment', '_Environ', '<os.environ>', true],
];

/** What a secret was, and that the value is marked. */
const MASKED: [string, string][] = [
  [
    'password_in_a_dict',
    `{'user': 'bob', 'password': ‹masked: name "password"›, 'db': {'API_KEY': ‹masked: name "API_KEY"›, 'port': 5432}}`,
  ],
  [
    'password_in_an_instance',
    `Account{name: 'bob', password: [‹masked: name "password"›, ‹masked: name "password"›, None]}`,
  ],
  ['password_in_a_named_tuple', `Login{user: 'bob', password: ‹masked: name "password"›}`],
  [
    'header_pairs',
    `[(b'authorization', ‹masked: looks like authorization header›), ('password', ‹masked: name "password"›), ('password', 'username')]`,
  ],
  [
    'secrets_by_their_form',
    `[‹masked: looks like AWS access key›, ‹masked: looks like URL userinfo›, ‹masked: looks like JWT›, 'plain']`,
  ],
  [
    'secret_items_and_keys',
    `[dict_items([('password', ‹masked: name "password"›)]), {Key('password'): ‹masked: name "password"›}]`,
  ],
  [
    'secret_in_parts_of_a_url',
    `[SplitResult{scheme: 'postgres', netloc: ‹masked: name "netloc"›, path: '/x', query: '', fragment: ''}, {'auth': ‹masked: name "auth"›, 'DB_PASS': ‹masked: name "DB_PASS"›}]`,
  ],
  ['secret_in_an_exception', `ValueError(‹masked: assigns "password"›)`],
  [
    'secret_of_a_str_subclass',
    `{'secret': Trapped(‹masked: name "secret"›), 'token': Trapped(‹masked: name "token"›)}`,
  ],
];

/** Values whose text is long: how it begins and how it ends. */
const LONG: [string, RegExp][] = [
  ['large_dict', /^\{0: None, .*19: None, …\}$/],
  ['ten_million_items', /^\[(?:0, ){20}…\]$/],
  ['long_string', /^'x{200}'…$/],
  ['long_bytes', /^b'x{200}'…$/],
  ['wide_and_deep', /^\[\[\[\[…, .*…/],
  ['sets_of_sets', /^frozenset\(\{frozenset\(.*…/],
  ['long_strings_in_sets', /^\{'000x{197}'…, '001x/],
  ['many_slots', /^SimpleNamespace\{s0000: 0, .*, s0019: 19, …\}$/],
  ['astral', /^'(?:\u{1f600}){200}'…$/u],
  ['astral_everywhere', /^\['\u{1f600}{199}', .*…$/u],
  ['mock', /^MagicMock\{_mock_return_value: _SentinelObject\{name: 'DEFAULT'\}, .*…\}$/],
  ['weak_reference', /^<.*>$/],
  ['weak_proxy', /^<.*>$/],
];
const REFERRED = ['every_method_raises', 'class_that_lies', 'large_set', 'cyclic_list', 'enumeration'];
/** What cannot be referred to weakly and is no plain data has no serial: it could be mistaken for a later object. */
const UNREFERRED = ['slots_and_dict_that_lie', 'hostile_items_in_a_list', 'hostile_keys', 'long_string', 'named_tuple'];

describe.each(samplePythons())('values on CPython $version', ({ executable }) => {
  const { stdout, stderr } = spawnSync(executable, [script, agents], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const { mutation, slowness, ...seen } = JSON.parse(stdout || '{}') as Record<string, Seen> & {
    mutation: unknown;
    slowness: unknown;
  };
  const entries = Object.entries(seen);

  it('are all rendered', () => {
    expect(stderr).toBe('');
    expect(entries.length).toBeGreaterThanOrEqual(100);
  });

  it('run none of their own code', () => {
    expect(entries.filter(([, { tripped }]) => tripped.length > 0)).toEqual([]);
  });

  it('stay within 4 KiB and a millisecond of processor time, and are the same when seen again', () => {
    expect(entries.filter(([, { bytes }]) => bytes > 4096)).toEqual([]);
    const limit = Math.max(1.5, Number(slowness) / 0.15); // at most 0.8 where nothing else runs, see the bench of @h/instrument
    expect(entries.filter(([, { ms }]) => ms > limit)).toEqual([]);
    expect(entries.filter(([, { stable }]) => !stable)).toEqual([]);
  });

  it('hold no address', () => {
    expect(entries.filter(([, { text }]) => /0x[0-9a-f]{5,}| at \d/.test(text))).toEqual([]);
  });

  it.each(EXPECTED)('%s', (name, type, text, truncated) => {
    expect(seen[name]).toMatchObject({ type, text, truncated });
  });

  it.each(LONG)('%s', (name, text) => {
    expect(seen[name]?.text).toMatch(text);
    expect(seen[name]?.truncated).toBe(true);
  });

  it('print a large integer as the language does, and a huge one not at all', () => {
    expect(seen.large_int?.text).toBe(String(-(2n ** 2000n)));
  });

  it('escape what is no character', () => {
    expect(seen.surrogates?.text).toBe(String.raw`'a\ud800b\udfff\x00\n\u2028"\\'`);
  });

  it.each(MASKED)('%s', (name, text) => {
    expect(seen[name]).toMatchObject({ text, truncated: true, masked: true });
  });

  it('are not masked where there is no secret', () => {
    expect(seen.secret_that_is_no_secret).toMatchObject({
      text: "{'password': '', 'secret': None, 'api_key': True, 'token': 'word', 'key': 5}",
      masked: false,
    });
    const masked = entries.filter((entry) => entry[1].masked).map(([name]) => name);
    expect(masked.sort()).toEqual([...MASKED.map(([name]) => name), 'secrets_everywhere'].sort());
  });

  it('have a serial where they can be followed', () => {
    for (const name of REFERRED) expect(seen[name]?.ref, name).toBe(true);
    for (const name of UNREFERRED) expect(seen[name]?.ref, name).toBe(false);
  });

  it('are those of the moment', () => {
    expect(mutation).toEqual(['[1, 2]', '[1, 2, 3]']);
  });
});

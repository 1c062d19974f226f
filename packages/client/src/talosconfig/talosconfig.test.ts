import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@nodewright/fault';
import fc from 'fast-check';
import { mergeTalosconfig } from './merge-talosconfig.ts';
import { parseTalosconfig } from './parse-talosconfig.ts';
import { printTalosconfig } from './print-talosconfig.ts';
import { emptyTalosconfig, type Talosconfig, type TalosconfigContext } from './talosconfig.ts';

const word = fc.oneof(
  fc.constantFrom('admin', 'a-1', 'a', '__proto__', 'constructor', '127.0.0.1', '1e3', 'yes', '~'),
  fc.string({ minLength: 1, maxLength: 12 }),
);
const secret = word.map((text) => new Secret(text));

const anyContext: fc.Arbitrary<TalosconfigContext> = fc.record(
  {
    endpoints: fc.array(word, { maxLength: 3 }),
    nodes: fc.array(word, { maxLength: 3 }),
    ca: word,
    crt: word,
    key: secret,
    cluster: word,
    proxyUrl: word,
    auth: fc.oneof(
      fc.record({ basic: fc.record({ username: word, password: secret }) }),
      fc.record({ siderov1: fc.record({ identity: word }) }),
    ),
    unknown: fc.constant({ 'later-key': [1, { deep: true }] }),
  },
  { requiredKeys: ['endpoints', 'nodes'] },
);

const anyConfig: fc.Arbitrary<Talosconfig> = fc
  .array(fc.tuple(word, anyContext), { maxLength: 4 })
  .chain((entries) =>
    fc.record({
      context: fc.constantFrom('', 'unknown', ...entries.map(([name]) => name)),
      contexts: fc.constant(new Map(entries)),
    }),
  );

test('parseTalosconfig() reads back what printTalosconfig() wrote', () => {
  fc.assert(
    fc.property(anyConfig, (config) => {
      const back = parseTalosconfig(printTalosconfig(config));
      // Compare the printed texts: only there are the secrets visible.
      assert.equal(printTalosconfig(back), printTalosconfig(config));
      assert.deepEqual(back.context, config.context);
      assert.deepEqual(new Set(back.contexts.keys()), new Set(config.contexts.keys()));
    }),
  );
});

test('printTalosconfig() writes four spaces, sorted contexts and indented lists', () => {
  const contexts = new Map<string, TalosconfigContext>([
    ['b', { endpoints: [], nodes: [] }],
    ['a', { endpoints: ['10.5.0.2'], nodes: ['node01'], ca: 'Q0E=', key: new Secret('S0VZ') }],
  ]);
  assert.equal(
    printTalosconfig({ context: 'a', contexts }),
    `context: a
contexts:
    a:
        endpoints:
            - 10.5.0.2
        nodes:
            - node01
        ca: Q0E=
        key: S0VZ
    b:
        endpoints: []
`,
  );
});

test('parseTalosconfig() reads an empty text as an empty configuration', () => {
  assert.deepEqual(
    ['', '\n', '# nothing\n', 'context: ""\ncontexts: {}\n', 'context:\ncontexts:\n'].map((text) =>
      parseTalosconfig(text),
    ),
    Array(5).fill(emptyTalosconfig),
  );
});

test('parseTalosconfig() appends the legacy target to the endpoints', () => {
  const config = parseTalosconfig('contexts: {old: {endpoints: [a], target: b}, older: {target: c}}');
  assert.deepEqual(
    [...config.contexts.values()].map(({ endpoints }) => endpoints),
    [['a', 'b'], ['c']],
  );
});

test('parseTalosconfig() keeps an unquoted number as the name that was written', () => {
  const config = parseTalosconfig('context: x\ncontexts:\n  x:\n    nodes: [010, 1.10, true]\n');
  assert.deepEqual(config.contexts.get('x')?.nodes, ['010', '1.10', 'true']);
});

test('parseTalosconfig() names the file and the line of an error, and quotes no value', () => {
  const rows: [string, string][] = [
    ['context: a\ncontexts:\n  a: {endpoints: [\n', 'line 4: '],
    [
      'context: a\ncontexts:\n  a:\n    endpoints: nowhere\n',
      'line 4: "contexts.a.endpoints" must be a list',
    ],
    ['context: a\ncontexts:\n  a:\n    key: [topsecret]\n', 'line 4: "contexts.a.key" must be a text'],
    ['contexts:\n  - a\n', 'line 2: "contexts" must be a mapping'],
    ['contexts:\n  a:\n    nodes:\n      - x\n      - {}\n', 'line 5: "contexts.a.nodes.1" must be a text'],
    ['just words', 'line 1: expected a mapping'],
    ['context: a\n\tcontexts: {}', 'line 2: '],
    // What the package for YAML says of these ends with what it has read.
    ['contexts:\n  a:\n    key: *topsecret\n', 'line 3: '],
    ['contexts:\n  a:\n    key: |topsecret\n', 'line 3: '],
    ['contexts:\n  a:\n    key: "\\u12topsecret"\n', 'line 3: '],
    ['contexts:\n  a:\n    key: !topsecret!x y\n', 'line 3: '],
  ];
  for (const [text, expected] of rows) {
    assert.throws(
      () => parseTalosconfig(text, '/etc/config'),
      (error: Error) => {
        assert.equal(error.message.startsWith(`talosconfig /etc/config: ${expected}`), true, error.message);
        assert.equal(error.message.includes('topsecret'), false);
        return true;
      },
    );
  }
});

test('parseTalosconfig() names the line of an alias without an anchor', () => {
  assert.throws(() => parseTalosconfig('context: a\ncontexts: *nowhere\n'), {
    message: /^talosconfig \(text\): line 2: Unresolved alias/,
  });
});

test('parseTalosconfig() accepts any text, or names the line of the error', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      try {
        parseTalosconfig(text);
      } catch (error) {
        assert.match((error as Error).message, /^talosconfig \(text\): line \d+: /);
      }
    }),
    { examples: [['*-'], ['a: &a [*a]']] },
  );
});

test('mergeTalosconfig() keeps every context of both configurations unchanged', () => {
  fc.assert(
    fc.property(anyConfig, anyConfig, (base, incoming) => {
      const { config, renames } = mergeTalosconfig(base, incoming);
      for (const [name, context] of base.contexts) assert.equal(config.contexts.get(name), context);
      const renamed = new Map(renames.map(({ from, to }) => [from, to]));
      for (const [name, context] of incoming.contexts) {
        assert.equal(config.contexts.get(renamed.get(name) ?? name), context);
      }
      assert.equal(config.contexts.size, base.contexts.size + incoming.contexts.size);
    }),
  );
});

test('mergeTalosconfig() makes the current context of the incoming configuration the current one', () => {
  fc.assert(
    fc.property(anyConfig, anyConfig, (base, incoming) => {
      const { config } = mergeTalosconfig(base, incoming);
      const wanted = incoming.contexts.get(incoming.context);
      if (wanted === undefined) assert.equal(config.context, base.context);
      else assert.equal(config.contexts.get(config.context), wanted);
    }),
  );
});

test('mergeTalosconfig() appends the first free suffix to a taken name, even if both contexts are equal', () => {
  const context = { endpoints: [], nodes: [] };
  const base = {
    context: 'a',
    contexts: new Map([
      ['a', context],
      ['a-1', context],
    ]),
  };
  const { config, renames } = mergeTalosconfig(base, { context: 'a', contexts: new Map([['a', context]]) });
  assert.deepEqual(
    { current: config.context, names: [...config.contexts.keys()], renames },
    { current: 'a-2', names: ['a', 'a-1', 'a-2'], renames: [{ from: 'a', to: 'a-2' }] },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultFrom } from '@nodewright/fault';
import fc from 'fast-check';
import { parse } from 'yaml';
import { decodeTalosconfig, parseTalosconfig } from './parse-talosconfig.ts';
import { printTalosconfig } from './print-talosconfig.ts';
import { readPlainYaml } from './read-plain-yaml.ts';

const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 200 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
/** As a talosctl writes it; upstream's indents by four spaces. */
const written = fc
  .record({
    ...{
      name: fc.stringMatching(/^[a-z][a-z0-9-]{0,12}[a-z]$/),
      other: fc.stringMatching(/^[a-z][a-z0-9@.-]{0,12}$/),
    },
    ...{ endpoints: fc.array(fc.ipV4(), { minLength: 1 }), nodes: fc.array(fc.domain()) },
    ...{ ca: base64, crt: base64, key: base64, indent: fc.constantFrom(2, 4) },
  })
  .map(({ name, other, endpoints, nodes, ca, crt, key, indent }) => {
    const at = (level: number, line: string) => `${' '.repeat(indent * level)}${line}\n`;
    const list = (title: string, items: readonly string[]) =>
      items.length === 0 ? '' : at(2, `${title}:`) + items.map((item) => at(3, `- ${item}`)).join('');
    const context = (title: string) =>
      at(1, `${title}:`) +
      list('endpoints', endpoints) +
      list('nodes', nodes) +
      at(2, `ca: ${ca}`) +
      at(2, `crt: ${crt}`) +
      at(2, `key: ${key}`);
    return `context: ${name}\ncontexts:\n${context(name)}${other === name ? '' : context(other)}`;
  });

/** Lines of the plain form and of forms that look like it. */
const line = fc
  .tuple(
    fc.nat(4),
    fc.constantFrom('', '- ', '-', '  - '),
    fc.constantFrom(
      'a',
      'b',
      'context',
      'contexts',
      'endpoints',
      'True',
      'null',
      '1',
      '0x1f',
      '1e3',
      '.inf',
      'a b',
      '"a"',
      '',
      '<<',
      '-',
    ),
    fc.constantFrom('', ':', ': ', ':  '),
    fc.constantFrom(
      ...[
        '',
        'x',
        'y',
        '1',
        '1.2.3.4',
        '0o7',
        '0x1F',
        '1e3',
        '+1',
        '+.inf',
        '.5',
        '.nan',
        'Null',
        '~',
        'TRUE',
        'no',
        "'q'",
      ],
      ...[
        'a:',
        'a:b',
        'a: b',
        '#c',
        'a #c',
        'a=',
        '=a',
        '@a',
        '&a x',
        '*a',
        '!!str 1',
        '[::1]',
        '{}',
        '|',
        '>',
        'LS0tLQ==',
        '12345678',
      ],
      ...['https://h:1/p', '2001-01-01', '1_000', '0b11', 'Infinity', '---', '...', '%a', 'a\tb', ' ', 'ä'],
    ),
  )
  .map(([indent, dash, key, colon, value]) => `${' '.repeat(indent)}${dash}${key}${colon}${value}`);
/** Lines that alone are of the plain form; together they may not be. */
const plainLine = fc
  .tuple(
    fc.constantFrom(0, 0, 2, 2, 4),
    fc.constantFrom(
      'a:',
      'b:',
      'context:',
      'contexts:',
      'endpoints:',
      'a: x',
      'b: LS0t',
      'c: 1.2.3.4',
      '- x',
      '- y:z',
    ),
  )
  .map(([indent, text]) => `${' '.repeat(indent)}${text}`);
const linesOf = (each: fc.Arbitrary<string>) =>
  fc.array(each, { maxLength: 8 }).map((lines) => lines.join('\n'));
const lookalike = fc.oneof(
  linesOf(plainLine),
  linesOf(fc.oneof({ arbitrary: plainLine, weight: 9 }, line)),
  linesOf(line),
);

function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return [kind, message];
  }
}

/** Secrets print as redacted, so the printed form is compared, too. */
function decoded(text: string, isPlain: boolean): unknown {
  return outcome(() => {
    const config = decodeTalosconfig(text, 'a file', isPlain);
    return [config, outcome(() => printTalosconfig(config))];
  });
}

test('readPlainYaml() reads what a talosctl writes', () => {
  fc.assert(
    fc.property(written, (text) => assert.deepEqual(readPlainYaml(text), parse(text))),
    { seed: 46 },
  );
});

test('readPlainYaml() agrees with the package for YAML wherever it reads a text', () => {
  let read = 0;
  fc.assert(
    fc.property(lookalike, (text) => {
      const plain = readPlainYaml(text);
      if (plain === undefined) return;
      read += 1;
      assert.deepEqual(plain, parse(text));
    }),
    { numRuns: 20_000, seed: 46 },
  );
  assert.ok(read > 100, `only ${read} texts were of the plain form`);
});

test('parseTalosconfig() has the same result and the same failure with and without the package for YAML', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        written,
        lookalike,
        lookalike.map((text) => `contexts:\n  a:\n${text}`),
      ),
      (text) => assert.deepEqual(decoded(text, true), decoded(text, false)),
    ),
    { numRuns: 1500, seed: 46 },
  );
});

test('readPlainYaml() leaves everything else to the package', () => {
  for (const text of [
    ...[
      '',
      '\n',
      '{}',
      'a: {}',
      'a: []',
      "a: 'b'",
      'a: b # c',
      '# c\na: b',
      '---\na: b',
      'a: b\n...',
      'a: b\r\n',
      'a: |\n  b',
    ],
    ...[
      'a:\n- b',
      'a: 1',
      'a: null',
      '1: a',
      'true: a',
      'a: b\na: c',
      'a:\n   b: c\n  d: e',
      ' a: b',
      '\ta: b',
      'a: &x b',
      '<<: a',
    ],
    'a: b\n\nc: d',
    `${'a:\n'.repeat(3000)}`,
  ])
    assert.equal(readPlainYaml(text), undefined, JSON.stringify(text));
});

test('parseTalosconfig() names the line of a value of the wrong type in the plain form', () => {
  assert.throws(
    () => parseTalosconfig('context: a\ncontexts:\n    a:\n        endpoints: b\n', 'f'),
    /^Fault: talosconfig f: line 4: "contexts\.a\.endpoints" must be a list$/,
  );
});

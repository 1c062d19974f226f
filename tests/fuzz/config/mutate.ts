import type { SeededRandom } from '../seeded-random.ts';

/** Longer results are truncated: the limit of a call is 4 MiB, and time is bounded by size. */
const maxCharacters = 300_000;

/** Fragments with a meaning in YAML. */
const tokens = [
  ...[
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '%TAG ! x\n',
    '? ',
    ': ',
    '- ',
    ', ',
    '[',
    ']',
    '{',
    '}',
    '|\n',
    '>-\n',
    '|9\n',
  ],
  ...[
    '&a ',
    '*a',
    '*a ',
    '<<: *a\n',
    '<<: [*a, *a]\n',
    '!!binary ',
    '!!map ',
    '!!str ',
    '!x ',
    '!!set ',
    '!<y> ',
  ],
  ...[
    '"',
    "'",
    '\\',
    '#',
    ' #',
    '\t',
    '\r',
    '\r\n',
    '\u2028',
    '\u0085',
    '\ufeff',
    '\0',
    '\u{1f600}',
    '\ud800',
  ],
  ...[
    '~',
    'null',
    'true',
    'yes',
    '.inf',
    '.nan',
    '-0',
    '1e999',
    '0x',
    '0o8',
    '99999999999999999999999',
    '2026-01-01',
  ],
  ...[
    '__proto__: ',
    'constructor: ',
    'toString: ',
    'apiVersion: v1alpha1\n',
    'kind: ',
    'machine:\n',
    '$patch: delete\n',
  ],
];

type Mutation = (text: string, random: SeededRandom, corpus: readonly string[]) => string;

/** Makes a text from a valid one by a few random changes; repeatable for the same state of `random`. */
export function mutate(random: SeededRandom, corpus: readonly string[]): string {
  let text = random.pick(corpus);
  const changes = 1 + random.below(3);
  for (let change = 0; change < changes; change++) {
    const mutation = random.below(40) === 0 ? random.pick(bombs) : random.pick(small);
    text = mutation(text, random, corpus).slice(0, maxCharacters);
  }
  return text;
}

const small: readonly Mutation[] = [
  flipBytes,
  insertToken,
  removeRange,
  repeatRange,
  changeLine,
  changeLine,
  moveLine,
  changeIndentation,
  swapKeyAndValue,
  replaceValue,
  replaceKey,
  splice,
];

const bombs: readonly Mutation[] = [nest, aliasBomb, hugeScalar, manyDocuments, manyKeys];

function at(text: string, position: number, put: string, removed = 0): string {
  return text.slice(0, position) + put + text.slice(position + removed);
}

function flipBytes(text: string, random: SeededRandom): string {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return text;
  for (let flips = 1 + random.below(4); flips > 0; flips--) {
    const position = random.below(bytes.length);
    bytes[position] = (bytes[position] ?? 0) ^ (1 << random.below(8));
  }
  return bytes.toString();
}

function insertToken(text: string, random: SeededRandom): string {
  return at(text, random.below(text.length + 1), random.pick(tokens));
}

function removeRange(text: string, random: SeededRandom): string {
  return at(text, random.below(text.length + 1), '', 1 + random.below(80));
}

function repeatRange(text: string, random: SeededRandom): string {
  const start = random.below(text.length + 1);
  return at(text, start, text.slice(start, start + 1 + random.below(200)).repeat(1 + random.below(3)));
}

function changeLine(text: string, random: SeededRandom): string {
  const lines = text.split('\n');
  const position = random.below(lines.length);
  if (random.below(2) === 0) lines.splice(position, 1);
  else lines.splice(position, 0, lines[random.below(lines.length)] ?? '');
  return lines.join('\n');
}

function moveLine(text: string, random: SeededRandom): string {
  const lines = text.split('\n');
  const moved = lines.splice(random.below(lines.length), 1 + random.below(3));
  lines.splice(random.below(lines.length + 1), 0, ...moved);
  return lines.join('\n');
}

function changeIndentation(text: string, random: SeededRandom): string {
  const lines = text.split('\n');
  const position = random.below(lines.length);
  const line = lines[position] ?? '';
  lines[position] =
    random.below(2) === 0 ? ' '.repeat(1 + random.below(5)) + line : line.slice(1 + random.below(4));
  return lines.join('\n');
}

function swapKeyAndValue(text: string, random: SeededRandom): string {
  return changeOneLine(text, random, (line) => line.replace(/^(\s*(?:- )?)([^:]+): (.*)$/, '$1$3: $2'));
}

function replaceValue(text: string, random: SeededRandom): string {
  const value = random.pick([
    ...tokens,
    '[]',
    '{}',
    '-1',
    'x',
    '""',
    '[a, b]',
    '{a: b}',
    '4294967296',
    '1h',
    '10.0.0.0/8',
  ]);
  return changeOneLine(text, random, (line) =>
    line.replace(/^([^:]+): (.*)$/, (_, key: string) => `${key}: ${value}`),
  );
}

function replaceKey(text: string, random: SeededRandom): string {
  const key = random.pick([
    'a',
    'name',
    'kind',
    '__proto__',
    'machine',
    '<<',
    '""',
    '? x',
    '[a]',
    '1',
    '$patch',
  ]);
  return changeOneLine(text, random, (line) =>
    line.replace(/^(\s*(?:- )?)[^:]+:/, (_, start: string) => `${start}${key}:`),
  );
}

function changeOneLine(text: string, random: SeededRandom, change: (line: string) => string): string {
  const lines = text.split('\n');
  const position = random.below(lines.length);
  lines[position] = change(lines[position] ?? '');
  return lines.join('\n');
}

/** Some lines of another configuration. */
function splice(text: string, random: SeededRandom, corpus: readonly string[]): string {
  const other = random.pick(corpus).split('\n');
  const start = random.below(other.length);
  const lines = text.split('\n');
  lines.splice(random.below(lines.length + 1), 0, ...other.slice(start, start + 1 + random.below(20)));
  return lines.join('\n');
}

function nest(text: string, random: SeededRandom): string {
  const depth = 10 ** (1 + random.below(4)) + random.below(100);
  const forms = [
    () => '['.repeat(depth),
    () => '['.repeat(depth) + ']'.repeat(depth),
    () => '{a: '.repeat(depth),
    () => `${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`,
    () => '- '.repeat(depth),
    () => '? '.repeat(depth),
    () => Array.from({ length: Math.min(depth, 700) }, (_, level) => `\n${' '.repeat(level)}a:`).join(''),
    () => `key: ${'&a '.repeat(depth)}`,
    () => '!x '.repeat(depth),
    () => "'".repeat(depth),
    () => '"\\'.repeat(depth),
  ];
  return at(text, random.below(text.length + 1), random.pick(forms)());
}

/** A few lines that expand to a very large tree. */
function aliasBomb(text: string, random: SeededRandom): string {
  const levels = 3 + random.below(20);
  const width = 2 + random.below(12);
  const isMap = random.below(2) === 0;
  const lines = Array.from({ length: levels }, (_, level) => {
    const parts = Array.from({ length: width }, (_part, part) =>
      isMap ? `k${part}: *l${level}` : `*l${level}`,
    );
    const body = isMap ? `{${parts.join(', ')}}` : `[${parts.join(', ')}]`;
    return `l${level + 1}: &l${level + 1} ${body}`;
  });
  const bomb = `l0: &l0 ${random.pick(['x', '{a: b}', '[]'])}\n${lines.join('\n')}\n`;
  const use = random.pick(['', `<<: *l${levels}\n`, `machine: *l${levels}\n`]);
  return random.below(2) === 0 ? bomb + use + text : `${text}\n---\n${bomb}${use}`;
}

function hugeScalar(text: string, random: SeededRandom): string {
  const length = 1000 * (1 + random.below(200));
  const piece = random.pick([
    'x',
    '0',
    '1.',
    ' ',
    '\n',
    '\n\n  ',
    '#',
    "''",
    '\\"',
    'é',
    ':',
    '- ',
    '!',
    '10.',
    '-',
    'a.',
  ]);
  const body = piece.repeat(Math.ceil(length / piece.length));
  return random.below(2) === 0
    ? at(text, random.below(text.length + 1), body)
    : changeOneLine(text, random, (line) =>
        line.replace(/^([^:]+): (.*)$/, (_, key: string) => `${key}: ${body}`),
      );
}

function manyDocuments(text: string, random: SeededRandom): string {
  const count = 10 ** (1 + random.below(3));
  const piece = random.pick([
    '---\n',
    '---\n{}\n',
    '--- a\n',
    '...\n---\n',
    '---\napiVersion: v1alpha1\nkind: HostnameConfig\n',
  ]);
  return at(text, random.below(text.length + 1), `\n${piece.repeat(count)}`);
}

function manyKeys(text: string, random: SeededRandom): string {
  const count = 10 ** (1 + random.below(4));
  const form = random.pick(['k', 'same', '<<']);
  const lines = Array.from({ length: count }, (_, key) => (form === 'k' ? `k${key}: v` : `${form}: {}`));
  return `${text}\n${random.pick(['', '---\n'])}${lines.join('\n')}\n`;
}

import fc from 'fast-check';

/** Types of which none is assignable to another. */
export const scalarTypes = [
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'duration',
  'timestamp',
] as const;

export type ScalarType = (typeof scalarTypes)[number];

type Leaves = Readonly<Record<ScalarType, readonly string[]>>;

const leaves: Leaves = {
  bool: ['true', 'false'],
  int: ['0', '7', '-3', '0x1F', 'System', 'size("a")'],
  uint: ['0u', '120u', '0xFFu', 'GiB'],
  double: ['0.5', '1e3', '-.25', 'memory_full_avg10'],
  string: ['"a"', "'b'", '"""c"""', 'r"\\d"'],
  bytes: ['b"a"', "b'\\xff'"],
  duration: ['duration("1s")', 'time_since_trigger'],
  timestamp: ['timestamp(0)', 'timestamp("2026-01-01T00:00:00Z")'],
};

const sums = (type: string) => ['+', '-', '*', '/'].map((sign) => `(<!${type}> ${sign} <!${type}>)`);

/**
 * Expressions of each type, with placeholders for operands. In `<!type>` an operand of any other type is an
 * error.
 */
const templates: Readonly<Record<ScalarType, readonly string[]>> = {
  bool: [
    '(<!bool> && <!bool>)',
    '(<!bool> || <!bool>)',
    '!<!bool>',
    ...scalarTypes.flatMap((type) => [`(<!${type}> == <!${type}>)`, `(<!${type}> < <!${type}>)`]),
    '(<!int> in [<int>, <int>])',
    '<!string>.startsWith(<!string>)',
    '<!string>.matches(<!string>)',
    '[<int>, <int>].all(x, x > <!int>)',
    '{<string>: <double>}.exists(k, k == <!string>)',
    'optional.of(<uint>).hasValue()',
  ],
  int: [
    ...sums('int'),
    '(<!int> % <!int>)',
    'int(<uint>)',
    'size(<string>)',
    '<duration>.getSeconds()',
    '<timestamp>.getHours(<!string>)',
    '[<int>, <int>][<!int>]',
    '{<bool>: <int>}[<!bool>]',
    '[<int>].map(x, x + <!int>)[0]',
  ],
  uint: [...sums('uint'), '(<!uint> % <!uint>)', 'uint(<double>)', 'optional.of(<uint>).orValue(<!uint>)'],
  double: [...sums('double'), 'double(<int>)', 'qos_memory_full_avg10[<!int>]'],
  string: [
    '(<!string> + <!string>)',
    'string(<bytes>)',
    '(<!bool> ? <!string> : <!string>)',
    '{"k": <string>}.k',
  ],
  bytes: ['(<!bytes> + <!bytes>)', 'bytes(<string>)'],
  duration: ['(<duration> + <duration>)', '(<timestamp> - <timestamp>)', 'duration(<string>)'],
  timestamp: ['(<timestamp> + <duration>)', '(<timestamp> - <duration>)', 'timestamp(<int>)'],
};

/** Of the environment `disk`, which has neither optional values nor the measurements of memory. */
const diskLeaves: Leaves = {
  ...leaves,
  bool: ['true', 'false', 'system_disk', 'disk.rotational', 'has(disk.wwid)', "glob('WDC*', disk.model)"],
  int: ['0', '7', '-3', '0x1F', 'size(disk.symlinks)'],
  uint: ['0u', '120u', '0xFFu', 'GiB', 'disk.size'],
  double: ['0.5', '1e3', '-.25'],
  string: [...leaves.string, 'disk.model', 'disk.dev_path', '"12"'],
  duration: ['duration("1s")', 'duration("-1h")'],
};
const isForDisks = (template: string) => !/optional|qos_/.test(template);

const hole = /<(!?)(\w+)>/g;

interface Vocabulary {
  readonly leaves: Leaves;
  readonly fits: (template: string) => boolean;
}
const ofOomTrigger: Vocabulary = { leaves, fits: () => true };
const ofDisks: Vocabulary = { leaves: diskLeaves, fits: isForDisks };

/** Generates a well-typed expression of the type, for the environment `oom-trigger`. */
export const arbitraryExpression = (type: ScalarType, levels = 3): fc.Arbitrary<string> =>
  expressionOf(type, levels, ofOomTrigger);

/** Generates a well-typed expression of the type, for the environment `disk`. */
export const arbitraryDiskExpression = (type: ScalarType, levels = 3): fc.Arbitrary<string> =>
  expressionOf(type, levels, ofDisks);

function expressionOf(type: ScalarType, levels: number, words: Vocabulary): fc.Arbitrary<string> {
  const leaf = fc.constantFrom(...words.leaves[type]);
  if (levels === 0) return leaf;
  return fc.oneof(
    leaf,
    fc
      .constantFrom(...templates[type].filter(words.fits))
      .chain((template) => filled(template, levels - 1, words)),
  );
}

function filled(template: string, levels: number, words = ofOomTrigger): fc.Arbitrary<string> {
  const types = [...template.matchAll(hole)].map(([, , type]) => type as ScalarType);
  return fc.tuple(...types.map((type) => expressionOf(type, levels, words))).map((parts) => {
    let next = 0;
    return template.replace(hole, () => parts[next++] as string);
  });
}

/** For each `<!type>` placeholder of each template: the template with every wrong type in its place. */
const mistakes: readonly string[] = Object.values(templates)
  .flat()
  .flatMap((template) =>
    [...template.matchAll(hole)]
      .filter(([, mark]) => mark !== '')
      .flatMap(({ index, 0: whole, 2: right }) =>
        scalarTypes
          .filter((type) => type !== right)
          .map((type) => `${template.slice(0, index)}<${type}>${template.slice(index + whole.length)}`),
      ),
  );

/** Generates an expression that is well typed except for one operand of a wrong type. */
export const arbitraryMistake: fc.Arbitrary<string> = fc
  .constantFrom(...mistakes)
  .chain((template) => filled(template, 2));

// The public conformance tests of CEL and those of cel-go, as data: expressions, and what cel-go and the specification say about them.
import {
  getCheckingSuite,
  getComprehensionSuite,
  getConformanceSuite,
  getParsingSuite,
  type IncrementalTest,
  type IncrementalTestSuite,
} from '@bufbuild/cel-spec/testdata/tests.js';

export interface PublicTest {
  /** `<suite>/<file>/<section>/<name>`. */
  readonly name: string;
  readonly suite: 'conformance' | 'checking' | 'parsing' | 'comprehension';
  readonly test: IncrementalTest;
}

/** All tests, in the order of the data. */
export function publicTests(): PublicTest[] {
  const suites = [
    ['conformance', getConformanceSuite()],
    ['checking', getCheckingSuite()],
    ['parsing', getParsingSuite()],
    ['comprehension', getComprehensionSuite()],
  ] as const;
  return suites.flatMap(([suite, tests]) =>
    testsOf(tests, suite).map(([name, test]) => ({ name, suite, test })),
  );
}

function testsOf({ tests, suites }: IncrementalTestSuite, path: string): [string, IncrementalTest][] {
  return [
    ...tests.map((test): [string, IncrementalTest] => [`${path}/${test.name}`, test]),
    ...suites.flatMap((suite) => testsOf(suite, `${path}/${suite.name}`)),
  ];
}

/** Tests of which the data says nothing that can be compared, by their names, with the reason. */
const incomparable: readonly (readonly [RegExp, string])[] = [
  [/^comprehension\//, 'macros with two variables are an extension, which no field of the configuration has'],
  [/^conformance\/(macros2|[a-z0-9]+_ext)\//, 'an extension, which no field of the configuration has'],
  [/^conformance\/enums\/strong_/, 'enumerations as types of their own: cel-go has none either'],
  [/^conformance\/(optionals|unknowns)\//, 'optional and unknown values: no selector has them'],
];

/** Why a test is left out; undefined when it is not. */
export function whyIncomparable({ name, suite, test }: PublicTest): string | undefined {
  const found = incomparable.find(([pattern]) => pattern.test(name));
  if (found !== undefined) return found[1];
  if (/unsupported syntax/.test(test.error ?? ''))
    return 'the data was made without the syntax of optional values and quoted names';
  if (suite !== 'parsing') return undefined;
  if (/recursion/.test(test.error ?? '')) return 'the test of cel-go sets a smaller depth';
  return /existsOne/.test(test.original.expr) ? 'a macro of an extension' : undefined;
}

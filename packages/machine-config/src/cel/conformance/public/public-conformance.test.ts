import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCelError, parse, plan } from '@bufbuild/cel';
import { checkTypes } from '../../checker/check-types.ts';
import { boundedEnvironment } from '../../evaluate/evaluate-selector.ts';
import { ExpressionProblem } from '../../expression-problem.ts';
import { parseExpression } from '../../parser.ts';
import { checkerDifferences, type Differences, evaluatorDifferences } from './differences.ts';
import { declared, environmentOfTest, registry } from './public-environment.ts';
import { type PublicTest, publicTests, whyIncomparable } from './public-tests.ts';
import { inputOfValue, textOfResult, textOfValue } from './public-values.ts';

const all = publicTests();
const comparable = all.filter((each) => whyIncomparable(each) === undefined);

type Verdict = { readonly type: string } | { readonly problem: string; readonly isSyntax: boolean };

function check({ test: { original }, test: given }: PublicTest): Verdict {
  const environment = environmentOfTest(given);
  try {
    const { type, problems } = checkTypes(parseExpression(original.expr, environment), environment);
    const [first] = problems;
    return first === undefined ? { type } : { problem: first.message, isSyntax: false };
  } catch (error) {
    if (error instanceof ExpressionProblem) return { problem: error.message, isSyntax: true };
    throw error;
  }
}

/** cel-go prints some types by the names of their messages. */
const ourName = (type: string) =>
  type
    .replaceAll('google.protobuf.Timestamp', 'timestamp')
    .replaceAll('google.protobuf.Duration', 'duration')
    .replaceAll(/\bany\b/g, 'dyn')
    .replaceAll(/\bnull\b/g, 'null_type')
    .replaceAll(/\b(tuple|set)\(.*\)/g, 'dyn');

/** Problems that cel-go finds after an expression is parsed: the data of its parser has no declarations. */
const ofTypes = /undeclared reference|no matching overload|cannot be range/;

/** What the data says and what the checker says, where they can be compared and differ. */
function checkerDifference(each: PublicTest): string | undefined {
  const { suite, test: given } = each;
  const verdict = check(each);
  if (suite === 'parsing') {
    const isRefused = 'problem' in verdict && verdict.isSyntax;
    const isMalformed = given.error !== undefined && !ofTypes.test(given.error);
    return isRefused === isMalformed ? undefined : `${JSON.stringify(verdict)}, ${given.error}`;
  }
  // The data does not have the declarations of these tests.
  if (suite === 'checking' && 'problem' in verdict && /^undeclared reference/.test(verdict.problem)) return;
  const own = 'type' in verdict ? ourName(verdict.type) : undefined;
  const { resultMatcher } = given.original;
  const deduced = resultMatcher.case === 'typedResult' ? resultMatcher.value.deducedType : undefined;
  // The type of the specification, and that of cel-go where they are not the same.
  const wanted = [
    given.type === undefined ? undefined : ourName(given.type),
    ...(deduced === undefined ? [] : [ourName(declared(deduced))]),
  ];
  return wanted.includes(own) ? undefined : `${JSON.stringify(verdict)}, ${given.type}`;
}

/** What the data says and what the evaluator says, where they can be compared and differ. */
function evaluatorDifference({ suite, test: { original } }: PublicTest): string | undefined {
  const { expr, bindings, container, checkOnly, disableMacros, resultMatcher } = original;
  const wanted = expectedText(resultMatcher);
  if (suite !== 'conformance' || checkOnly || disableMacros || wanted === undefined) return undefined;
  const variables = Object.entries(bindings).flatMap(([name, { kind }]) =>
    kind.case === 'value' ? [[name, inputOfValue(kind.value)] as const] : [],
  );
  const own = (() => {
    try {
      const env = boundedEnvironment({ registry, namespace: container });
      return textOfResult(plan(env, parse(expr))(Object.fromEntries(variables)));
    } catch (error) {
      return isCelError(error) ? 'error' : `threw ${(error as Error).message}`;
    }
  })();
  return own === wanted ? undefined : `${own.slice(0, 200)}, ${wanted.slice(0, 200)}`;
}

function expectedText(matcher: PublicTest['test']['original']['resultMatcher']): string | undefined {
  if (matcher.case === undefined) return 'true';
  if (matcher.case === 'value') return textOfValue(matcher.value);
  if (matcher.case === 'typedResult')
    return matcher.value.result === undefined ? undefined : textOfValue(matcher.value.result);
  return matcher.case === 'evalError' ? 'error' : undefined;
}

function unlisted(
  differenceOf: (each: PublicTest) => string | undefined,
  listed: Differences,
): { readonly differs: readonly string[]; readonly agrees: readonly string[] } {
  const known = new Set(listed.flatMap(([, tests]) => tests));
  const differs: string[] = [];
  const agrees = new Set(known);
  for (const each of comparable) {
    const difference = differenceOf(each);
    if (difference === undefined) continue;
    agrees.delete(each.name);
    if (!known.has(each.name)) differs.push(`${each.name}: ${each.test.original.expr} → ${difference}`);
  }
  return { differs, agrees: [...agrees] };
}

test('the public data of CEL is compared but for what is listed with its reason', () => {
  assert.equal(all.length, 2_765);
  assert.ok(comparable.length > 1_800, String(comparable.length));
});

test('the checker says of every public test what the data says, but for what is listed', () => {
  assert.deepEqual(unlisted(checkerDifference, checkerDifferences), { differs: [], agrees: [] });
});

test('the evaluator has the result of every public test, but for what is listed', () => {
  assert.deepEqual(unlisted(evaluatorDifference, evaluatorDifferences), { differs: [], agrees: [] });
});

import { type CelFunc, CelScalar, celFunc, celList, celUint, listType } from '@bufbuild/cel';
import { RE2JS } from '@bufbuild/re2';
import type { EnvironmentName } from '../check-expression.ts';
import { matchesGlob } from './glob.ts';
import type { ValueBudget } from './value-budget.ts';

const { BOOL, BYTES, DOUBLE, DYN, INT, STRING, UINT } = CelScalar;
const list = listType(DYN);

/**
 * Functions that replace those of the library. They count what they make, because neither the memory of bytes nor one large allocation is
 * limited otherwise. And they read numbers as strictly as CEL does: the library takes an empty text for 0.
 */
export function boundedFunctions(budget: ValueBudget): CelFunc[] {
  return [
    celFunc('_+_', [STRING, STRING], STRING, (left, right) => {
      budget.spend(left.length + right.length);
      return left + right;
    }),
    celFunc('_+_', [BYTES, BYTES], BYTES, (left, right) => {
      budget.spend(left.length + right.length);
      return Buffer.concat([left, right]);
    }),
    celFunc('_+_', [list, list], list, (left, right) => {
      budget.spend(left.size + right.size);
      // The list of the library would keep both, and a macro nests as many of them as it takes steps.
      return celList([...left, ...right]);
    }),
    celFunc('bytes', [STRING], BYTES, (text) => {
      budget.spend(text.length);
      return new TextEncoder().encode(text);
    }),
    celFunc('matches', [STRING, STRING], BOOL, (text, pattern) => RE2JS.compile(pattern).test(text)),
    celFunc('int', [STRING], INT, (text) => integer(text, /^[-+]?\d+$/, -(2n ** 63n), 2n ** 63n - 1n)),
    celFunc('uint', [STRING], UINT, (text) => celUint(integer(text, /^\d+$/, 0n, 2n ** 64n - 1n))),
    celFunc('double', [STRING], DOUBLE, double),
  ];
}

/** No integer of 64 bits has more characters, leading zeros aside. */
const maxIntegerLength = 64;

function integer(text: string, syntax: RegExp, least: bigint, greatest: bigint): bigint {
  const value =
    text.length <= maxIntegerLength && syntax.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (value === undefined || value < least || value > greatest)
    throw new Error(`the text is no whole number of 64 bits`);
  return value;
}

function double(text: string): number {
  const special: Readonly<Record<string, number>> = {
    inf: Number.POSITIVE_INFINITY,
    infinity: Number.POSITIVE_INFINITY,
    nan: Number.NaN,
  };
  const [, sign = '', word = ''] = /^([-+]?)(.*)$/s.exec(text.toLowerCase()) ?? [];
  const value = Object.hasOwn(special, word)
    ? special[word]
    : /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/.test(word)
      ? Number(word)
      : undefined;
  if (value === undefined) throw new Error('the text is no number');
  return sign === '-' ? -value : value;
}

/** The functions that fields of the configuration add to CEL. Source: Talos v1.14: machine configuration, CEL environments. */
export function functionsOf(environment: EnvironmentName): CelFunc[] {
  const glob = celFunc('glob', [STRING, STRING], BOOL, matchesGlob);
  const mac = celFunc('mac', [BYTES], STRING, (address) =>
    Array.from(address, (byte) => byte.toString(16).padStart(2, '0')).join(':'),
  );
  if (environment === 'disk') return [glob];
  return environment === 'link' ? [glob, mac] : [];
}

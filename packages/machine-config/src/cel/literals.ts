import { ExpressionProblem } from './expression-problem.ts';
import { maxNumberLength } from './limits.ts';

const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/**
 * Checks that a number literal is in the range of its type.
 *
 * @param word the literal as written: an `int` may have a minus, a `uint` ends in `u`
 * @throws ExpressionProblem if the number is out of range
 */
export function checkNumber(kind: 'int' | 'uint' | 'double', word: string, at: number): void {
  if (!isInRange(kind, word))
    throw new ExpressionProblem(at, `invalid ${kind} literal ${word}: it is out of range`);
}

function isInRange(kind: 'int' | 'uint' | 'double', word: string): boolean {
  if (word.length > maxNumberLength) return false;
  if (kind === 'double') return Number.isFinite(Number(word));
  if (kind === 'uint') return BigInt(word.slice(0, -1)) <= maxUint;
  return word.startsWith('-') ? BigInt(word.slice(1)) <= maxInt + 1n : BigInt(word) <= maxInt;
}

const escapes =
  /\\(?:([abfnrtv"'\\?`])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g;

/**
 * Checks the escape sequences of a literal.
 *
 * @param word the whole literal with its quotes
 * @throws ExpressionProblem if an escape sequence is invalid
 */
export function checkText(kind: 'string' | 'bytes', word: string, at: number): void {
  if (/^[rRbB]*[rR]/.test(word)) return;
  for (const { index, 0: sequence, 3: short, 4: long, 6: unknown } of word.matchAll(escapes)) {
    const code = short ?? long;
    const fits = unknown === undefined && (code === undefined || (kind === 'string' && isCodePoint(code)));
    if (!fits) throw new ExpressionProblem(at + index, `invalid escape sequence ${sequence} in ${kind}`);
  }
}

function isCodePoint(digits: string): boolean {
  const code = Number.parseInt(digits, 16);
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

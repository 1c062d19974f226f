// A pod, a peer or a file chooses much of what machined reads. An expression whose time grows with the square of a text stops
// the whole daemon: `/0+$/` takes 30 s for 1 MiB of zeros before another character. With `(?<!0)` in front it begins once.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findExpressions } from './regular-expressions/find-expressions.ts';
import { hostileTexts } from './regular-expressions/hostile-texts.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** Expressions that see only texts that are short, or our own. */
const boundedTexts: Readonly<Record<string, string>> = {
  'packages/extensions/src/domain/source-name.ts': 'an argument of the command that builds an image',
  'packages/extensions/src/domain/tar-header.ts': 'a field of 155 bytes at most',
  'packages/machine-config/src/cel/types/parse-type.ts': 'our own table of functions',
  'packages/machine-config/src/decode/duration.ts': 'whole durations, and digits of one number',
  'packages/state/src/query/expression/parse-expression.ts': '16 characters',
  'packages/state/src/spec/duration-text.ts': 'nine digits',
  'packages/state/src/spec/ip-text.ts': 'an IP address',
  'packages/state/src/spec/time-types.ts': 'a time that was formatted here',
  'services/machined/src/base/node-layout.ts': 'a setting of the daemon',
  'services/machined/src/containers/rpc/image-service.ts': 'the reference of an image that was pulled',
  'services/machined/src/logs/domain/log-event.ts': 'six digits',
};

const textBytes = 4096;
/** Small texts first: the time of some expressions doubles with each character. */
const lengths = [20, 64, 512, textBytes];
/**
 * An expression whose time grows with the length needs 0.04 ms for 4 KiB, which is 10 ms for 1 MiB. One whose time grows with
 * the square needs 5 ms and more.
 */
const limitUs = 2500;

function timeUs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

/** A text for which the expression takes too long, each time. */
function slowText(expression: RegExp, scale: number): string | undefined {
  for (const length of lengths)
    for (const text of hostileTexts(expression, length)) {
      const isSlow = () => timeUs(() => text.replace(expression, '')) > limitUs * scale;
      if (isSlow() && isSlow() && isSlow() && isSlow()) return text;
    }
  return undefined;
}

/** How many times slower than the machine of these limits this one is; at least 1. */
function slowness(): number {
  const known = /0+$/;
  const text = `${'0'.repeat(textBytes)}x`;
  const knownUs = 25_000;
  text.replace(known, '');
  return Math.max(
    1,
    Math.min(...Array.from({ length: 3 }, () => timeUs(() => text.replace(known, '')))) / knownUs,
  );
}

test('the time of no regular expression grows with the square of a text that others choose', () => {
  const files = globSync('{services,packages}/**/*.{ts,tsx}', {
    cwd: checkout,
    exclude: ['**/node_modules/**', '**/gen/**', '**/testing/**', '**/conformance/**', '**/*.test.ts'],
  });
  const expressions = files.flatMap((file) =>
    findExpressions(join(checkout, file)).map((found) => ({ ...found, file })),
  );
  assert.ok(expressions.length > 500, `${expressions.length} expressions`);
  const scale = slowness();
  const slow = expressions.flatMap(({ file, expression }) => {
    if (file in boundedTexts) return [];
    const text = slowText(expression, scale);
    return text === undefined
      ? []
      : [`${file}: ${expression} takes long for ${JSON.stringify(text.slice(0, 30))}`];
  });
  assert.deepEqual(slow, []);
  const unused = Object.keys(boundedTexts).filter((file) => !files.includes(file));
  assert.deepEqual(unused, []);
});

test('slowText() finds what takes the square of the length or more, wherever it stands', () => {
  const slow = [
    /\0+$/,
    /[\d.]+\.[\d.]+$/,
    /(?:a+)+b/,
    /\b([a-z][a-z0-9+.-]*:\/\/[^\s"'/?#:@]*):[^\s"']*@/gi,
    /<x>(.*)<y>/,
  ];
  const fast = [/^\0+/, /(?<!0)0+$/, /^[a-z]+=\d+$/, /:\/\/[^/?#:@]*:/, /[^/]+/g];
  assert.deepEqual(
    [...slow, ...fast].filter((expression) => slowText(expression, slowness()) !== undefined),
    slow,
  );
});

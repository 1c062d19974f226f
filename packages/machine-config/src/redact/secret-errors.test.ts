import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { effectiveConfig } from '../effective/effective-config.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { leaked, plantSecrets } from './plant-secrets.ts';

const planted = plantSecrets();

/** All that is said of the text by all that reads configurations. */
function everythingSaid(text: string): string {
  const said: string[] = [];
  const note = (body: () => unknown) => {
    try {
      return body();
    } catch (error) {
      assert.equal(error instanceof Fault, true, String(error));
      said.push(String(error));
      return undefined;
    }
  };
  note(() => parsePatch(text));
  note(() => {
    const configuration = loadConfiguration(text);
    const { warnings, errors } = validateConfiguration(configuration, { mode: 'metal' });
    said.push(...warnings, ...errors);
    effectiveConfig(configuration);
  });
  return said.join('\n');
}

test('every secret field is in a document of the test, which says much about what is wrong', () => {
  const said = planted.map(({ text }) => everythingSaid(text)).join('\n');
  assert.equal(planted.length > 10, true);
  assert.equal(said.split('\n').length > 20, true);
  assert.deepEqual(
    leaked(
      said,
      planted.flatMap(({ secrets }) => secrets),
    ),
    [],
  );
});

/** What people do to a line with a secret, and what YAML makes of it. The secret stays a value, or part of one. */
const mishaps: readonly ((key: string, secret: string) => string)[] = [
  (key, secret) => `${key}x: ${secret}`,
  (key, secret) => `${key.toUpperCase()}: ${secret}`,
  (key, secret) => `${key}: [${secret}]`,
  (key, secret) => `${key}: { a: ${secret} }`,
  (key, secret) => `${key}: { a: [${secret}, { b: ${secret} }] }`,
  (key, secret) => `${key}: "${secret}`,
  (key, secret) => `${key}: '${secret}`,
  (key, secret) => `${key}: ${secret}: x`,
  (key, secret) => `${key}: @${secret}`,
  (key, secret) => `${key}: \`${secret}`,
  (key, secret) => `${key}: %${secret}`,
  (key, secret) => `${key}: *${secret}`,
  (key, secret) => `${key}: &${secret}`,
  (key, secret) => `${key}: &${secret} *${secret}`,
  (key, secret) => `${key}: !${secret} x`,
  (key, secret) => `${key}: !!${secret} x`,
  (key, secret) => `${key}: !a!${secret} x`,
  (key, secret) => `${key}: | ${secret}`,
  (key, secret) => `${key}: |${secret}`,
  (key, secret) => `${key}: > ${secret}`,
  (key, secret) => `${key}: "\\q${secret}"`,
  (key, secret) => `${key}: "a" ${secret}`,
  (key, secret) => `${key}: [a] ${secret}`,
  (key, secret) => `${key}: ]${secret}`,
  (key, secret) => `${key}: {${secret}`,
  (key, secret) => `${key}: ${secret}\n  ${secret}`,
  (key, secret) => `${key}: ${secret}\n${secret}`,
  (key, secret) => `${key}:\t${secret}`,
  (key, secret) => `${key}:${secret}`,
  (key, secret) => `${key} ${secret}`,
  (key, secret) => `- ${key}: ${secret}`,
  (key, secret) => `${key}: - ${secret}`,
  (key, secret) => `%TAG ${secret}\n---\n${key}: x`,
  (key, secret) => `%${secret}\n---\n${key}: x`,
  (key, secret) => `<<: ${secret}\n${key}: ${secret}`,
  (key, secret) => `${key}: ${secret}\n$patch: ${secret}`,
];

test('no error holds a secret, whatever happened to its line', () => {
  for (const { text, secrets } of planted) {
    const lines = text.split('\n');
    for (const [which, secret] of secrets.entries()) {
      const at = lines.findIndex((line) => line.includes(secret));
      const [, start = '', key = ''] = /^(\s*(?:- )?)([^:]+):/.exec(lines[at] ?? '') ?? [];
      // Where a document has many secrets, each meets a third of what may happen.
      for (const mishap of mishaps.filter((_, turn) => secrets.length < 5 || (which + turn) % 3 === 0)) {
        const changed = lines.with(at, start + mishap(key, secret)).join('\n');
        assert.deepEqual(leaked(everythingSaid(changed), secrets), [], changed);
      }
    }
  }
});

test('no error holds a secret that stands where something else should', () => {
  fc.assert(
    fc.property(fc.constantFrom(...planted), fc.nat(), fc.nat(), ({ text, secrets }, line, which) => {
      const lines = text.split('\n').slice(0, -1);
      const at = line % lines.length;
      const secret = secrets[which % secrets.length] as string;
      const changed = lines.with(at, (lines[at] ?? '').replace(/:.*$/, `: ${secret}`)).join('\n');
      fc.pre(!/(?:kind|apiVersion|name): /.test(lines[at] ?? ''));
      assert.deepEqual(leaked(everythingSaid(changed), secrets), [], changed);
    }),
    { numRuns: 400 },
  );
});

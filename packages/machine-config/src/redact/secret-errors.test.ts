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

/** Returns all messages of the parsers, the validation and the effective configuration for a text. */
function allMessages(text: string): string {
  const messages: string[] = [];
  const note = (body: () => unknown) => {
    try {
      return body();
    } catch (error) {
      assert.equal(error instanceof Fault, true, String(error));
      messages.push(String(error));
      return undefined;
    }
  };
  note(() => parsePatch(text));
  note(() => {
    const configuration = loadConfiguration(text);
    const { warnings, errors } = validateConfiguration(configuration, { mode: 'metal' });
    messages.push(...warnings, ...errors);
    effectiveConfig(configuration);
  });
  return messages.join('\n');
}

test('errors and warnings about documents with all secret fields do not contain a secret', () => {
  const messages = planted.map(({ text }) => allMessages(text)).join('\n');
  assert.equal(planted.length > 10, true);
  assert.equal(messages.split('\n').length > 20, true);
  assert.deepEqual(
    leaked(
      messages,
      planted.flatMap(({ secrets }) => secrets),
    ),
    [],
  );
});

/**
 * Typing errors in a line with a secret, and syntax that YAML treats specially. The secret stays a value or
 * part of one.
 */
const typingErrors: readonly ((key: string, secret: string) => string)[] = [
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

test('no error contains a secret, whatever typing error its line has', () => {
  for (const { text, secrets } of planted) {
    const lines = text.split('\n');
    for (const [which, secret] of secrets.entries()) {
      const at = lines.findIndex((line) => line.includes(secret));
      const [, start = '', key = ''] = /^(\s*(?:- )?)([^:]+):/.exec(lines[at] ?? '') ?? [];
      // In a document with many secrets, each secret is tested with a third of the typing errors.
      for (const makeError of typingErrors.filter(
        (_, turn) => secrets.length < 5 || (which + turn) % 3 === 0,
      )) {
        const changed = lines.with(at, start + makeError(key, secret)).join('\n');
        assert.deepEqual(leaked(allMessages(changed), secrets), [], changed);
      }
    }
  }
});

test('no error contains a secret that is the value of another field', () => {
  fc.assert(
    fc.property(fc.constantFrom(...planted), fc.nat(), fc.nat(), ({ text, secrets }, line, which) => {
      const lines = text.split('\n').slice(0, -1);
      const at = line % lines.length;
      const secret = secrets[which % secrets.length] as string;
      const changed = lines.with(at, (lines[at] ?? '').replace(/:.*$/, `: ${secret}`)).join('\n');
      fc.pre(!/(?:kind|apiVersion|name): /.test(lines[at] ?? ''));
      assert.deepEqual(leaked(allMessages(changed), secrets), [], changed);
    }),
    { numRuns: 400 },
  );
});

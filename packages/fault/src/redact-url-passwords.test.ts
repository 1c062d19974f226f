import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redactUrlPasswords, redactVariable } from './redact-url-passwords.ts';

test('redactUrlPasswords() replaces the password of every URL and nothing else', () => {
  const rows = [
    ['http://user:top@proxy:3128', 'http://user:REDACTED@proxy:3128'],
    [
      '--proxy=https://u:t@p/ss@proxy:1/x http://:a@b',
      '--proxy=https://u:REDACTED@proxy:1/x http://:REDACTED@b',
    ],
    ['http://proxy:3128', 'http://proxy:3128'],
    ['http://user@proxy', 'http://user@proxy'],
    ['user@example.com', 'user@example.com'],
    ['', ''],
  ] as const;
  assert.deepEqual(
    rows.map(([text]) => redactUrlPasswords(text)),
    rows.map(([, redacted]) => redacted),
  );
});

test('redactVariable() recognises proxies without a scheme', () => {
  assert.deepEqual(
    [
      redactVariable('http_proxy', 'user:top@proxy:3128'),
      redactVariable('HTTPS_PROXY', 'http://user:top@proxy:3128'),
      redactVariable('no_proxy', '10.0.0.0/8,.local'),
      redactVariable('LOGIN', 'user:top@proxy'),
    ],
    ['user:REDACTED@proxy:3128', 'http://user:REDACTED@proxy:3128', '10.0.0.0/8,.local', 'user:top@proxy'],
  );
});

test('redactUrlPasswords() leaves no password of a URL, whatever its characters', () => {
  const password = fc.stringMatching(/^[^\s"']{4,20}$/).filter((text) => !'REDACTED'.includes(text));
  fc.assert(
    fc.property(password, (secret) => {
      assert.equal(redactUrlPasswords(`http://user:${secret}@proxy:3128`), 'http://user:REDACTED@proxy:3128');
    }),
  );
});

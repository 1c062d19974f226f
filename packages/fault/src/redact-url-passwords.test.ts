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
    ['ftp://a:b@c@d\thttp://e:f@g"h://i:j@k', 'ftp://a:REDACTED@d\thttp://e:REDACTED@g"h://i:REDACTED@k'],
    ['http://host:80/a?b@c:d', 'http://host:REDACTED@c:d'],
    [
      'http://host/path:a@b http://host/?q=http://u:p@x',
      'http://host/path:a@b http://host/?q=http://u:REDACTED@x',
    ],
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

test('redactUrlPasswords() and redactVariable() take time in proportion to the length of the text', () => {
  const lengthBytes = 128 * 1024;
  const texts = ['a.', 'a+', 'a://', '@a://b:', 'a://b:', ':', '@', ' @', 'http://u:p@h '].flatMap(
    (piece) => {
      const text = piece.repeat(lengthBytes / piece.length);
      return [text, `@${text}`, `${text}@`, `${text} @`, `http://${text}`];
    },
  );
  const before = process.threadCpuUsage();
  for (const text of texts) {
    redactUrlPasswords(text);
    redactVariable('http_proxy', text);
    redactVariable(text, '');
  }
  const { user, system } = process.threadCpuUsage(before);
  // They take less than a tenth of it. Where the time grows with the square of the length, a few of the texts take minutes.
  assert.ok(user + system < 5_000_000, `${user + system} us`);
});

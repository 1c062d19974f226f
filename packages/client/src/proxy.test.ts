import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProxyUrl } from './proxy.ts';

test('parseProxyUrl() accepts `direct` and the URLs of HTTP proxies', () => {
  const read = (text: string) => {
    const proxy = parseProxyUrl(text);
    return proxy === 'direct' ? proxy : [proxy.host, proxy.port, proxy.credentials?.reveal()];
  };
  assert.deepEqual(
    ['direct', 'http://a', 'http://a:3128/', 'http://u:p%40@[::1]:1', 'HTTP://u@a'].map(read),
    ['direct', ['a', 80, undefined], ['a', 3128, undefined], ['::1', 1, 'u:p@'], ['a', 80, 'u:']],
  );
});

test('parseProxyUrl() rejects unsupported URLs without showing a password', () => {
  const refused: [string, string, string][] = [
    ['socks5://x', 'unimplemented', 'proxy-url "socks5://x" is not supported'],
    ['https://u:secret@x', 'unimplemented', 'proxy-url "https://******@x" is not supported'],
    ['bogus', 'invalid-argument', 'proxy-url "bogus" is not valid'],
    ['ftp://x', 'invalid-argument', 'proxy-url "ftp://x" is not valid'],
    ['http://', 'invalid-argument', 'proxy-url "http://" is not valid'],
    ['http://u:secret@x/path', 'invalid-argument', 'proxy-url "http://******@x/path" is not valid'],
    ['http://u:sec/ret@x', 'invalid-argument', 'proxy-url "http://******@x" is not valid'],
    ['http://u:sec@ret/@x:1/y', 'invalid-argument', 'proxy-url "http://******@x:1/y" is not valid'],
    ['u:secret@x:3128', 'invalid-argument', 'proxy-url "******@x:3128" is not valid'],
    ['http://x:99999', 'invalid-argument', 'proxy-url "http://x:99999" is not valid'],
    ['', 'invalid-argument', 'proxy-url "" is not valid'],
  ];
  const hint = ': use "direct" or the URL of an HTTP proxy, such as http://proxy.example:3128';
  for (const [text, kind, message] of refused) {
    assert.throws(() => parseProxyUrl(text), { kind, message: message + hint }, text);
  }
});

test('parseProxyUrl() explains how to write a % that is not an escape', () => {
  assert.throws(() => parseProxyUrl('http://u:100%@x'), {
    kind: 'invalid-argument',
    message: 'proxy-url "http://******@x" is not valid: a % in its user or password must be written as %25',
  });
});

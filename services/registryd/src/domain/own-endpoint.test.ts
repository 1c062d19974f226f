import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutOwnEndpoint } from './own-endpoint.ts';

const endpoint = (url: string) => ({ endpoint: url, overridePath: false });

test('withoutOwnEndpoint() leaves every other endpoint, and the fallback of a mirror without one', () => {
  const own = endpoint('http://127.0.0.1:3172');
  const mirrors = {
    '*': { endpoints: [own], skipFallback: true },
    a: { endpoints: [own, endpoint('https://a'), endpoint('not a URL')], skipFallback: true },
    b: {
      endpoints: [endpoint('http://127.0.0.1:3173'), endpoint('http://localhost:3172/x')],
      skipFallback: false,
    },
  };
  const settings = { mirrors, auths: {}, tls: {} };
  assert.deepEqual(withoutOwnEndpoint(settings, { host: '127.0.0.1', port: 3172 }).mirrors, {
    '*': { endpoints: [], skipFallback: false },
    a: { endpoints: [endpoint('https://a'), endpoint('not a URL')], skipFallback: true },
    b: { endpoints: [endpoint('http://127.0.0.1:3173')], skipFallback: false },
  });
  const six = {
    ...settings,
    mirrors: { c: { endpoints: [endpoint('http://[::1]:1')], skipFallback: false } },
  };
  assert.deepEqual(withoutOwnEndpoint(six, { host: '::1', port: 1 }).mirrors.c?.endpoints, []);
});

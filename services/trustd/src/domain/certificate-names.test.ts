import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostNamesOf } from './certificate-names.ts';

test('hostNamesOf() keeps the host names of a request', () => {
  const dnsNames = ['node05', 'Node05.example.com', 'node_5.a', 'xn--bcher-kva.example', 'node05.', '4a'];
  assert.deepEqual(hostNamesOf({ commonNames: ['node05.example.com'], dnsNames }), {
    commonName: 'node05.example.com',
    dnsNames,
    omittedNames: [],
  });
  assert.deepEqual(hostNamesOf({ commonNames: [], dnsNames: [] }), {
    commonName: '',
    dnsNames: [],
    omittedNames: [],
  });
});

test('hostNamesOf() leaves out wildcards, addresses and what is no name, each listed once', () => {
  const wrong = [
    ...['*', '*.example.com', 'w*.example.com', 'a.*.b', 'a..b', '.', '.a', '-a', 'a-', 'a b', 'a/b'],
    ...['10.5.0.2', '127.1', '0x7f000001', 'a.0x1', '1.', 'fd00::1', 'n\u00f6de', `${'a'.repeat(64)}.b`],
    Array.from({ length: 130 }, () => 'a').join('.'),
  ];
  for (const name of wrong) {
    assert.deepEqual(
      hostNamesOf({ commonNames: [name], dnsNames: ['x', name] }),
      { commonName: '', dnsNames: ['x'], omittedNames: [name] },
      name,
    );
  }
});

test('hostNamesOf() refuses a request with several common names, also when they are equal', () => {
  for (const commonNames of [
    ['w', 'cp2'],
    ['w', 'w'],
  ]) {
    assert.throws(() => hostNamesOf({ commonNames, dnsNames: ['w'] }), {
      kind: 'invalid-argument',
      message: 'the CSR has 2 common names, more than one',
    });
  }
});

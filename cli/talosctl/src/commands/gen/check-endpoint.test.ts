import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEndpoint } from './check-endpoint.ts';

test('checkEndpoint() accepts URLs with the scheme https and a host', () => {
  for (const text of [
    'https://10.5.0.1:6443',
    'https://k8s.example',
    'https://[fd00::1]:6443',
    'HTTPS://a:1/',
    'https://a:6443/path',
  ]) {
    assert.equal(checkEndpoint(text), undefined);
  }
});

test('checkEndpoint() suggests a valid URL for an invalid one', () => {
  const rows: [string, string][] = [
    ['10.5.0.1', 'https://10.5.0.1:6443'],
    ['10.5.0.1:7443', 'https://10.5.0.1:7443'],
    ['k8s.example', 'https://k8s.example:6443'],
    ['fd00::1', 'https://[fd00::1]:6443'],
    ['[fd00::1]:1', 'https://[fd00::1]:1'],
    ['http://k8s.example:8080/x', 'https://k8s.example:8080'],
    ['ftp://k8s.example', 'https://k8s.example:6443'],
  ];
  for (const [text, suggestion] of rows) {
    assert.throws(
      () => checkEndpoint(text),
      (error: Error) => error.message.endsWith(`; try ${JSON.stringify(suggestion)}`),
      text,
    );
  }
});

test('checkEndpoint() rejects a text without a host', () => {
  for (const text of [
    '',
    'https://',
    'https://:6443',
    'https://a b',
    'https://user@host',
    'https://a:99999',
    '/path',
    'https://[zz]:1',
  ]) {
    assert.throws(
      () => checkEndpoint(text),
      { kind: 'invalid-argument', message: /it has no valid host; use a URL such as/ },
      text,
    );
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatImageReference, parseImageReference } from './image-reference.ts';

const digest = `sha256:${'a1'.repeat(32)}`;

test('parseImageReference() and formatImageReference() fill in all omitted parts', () => {
  const rows = {
    busybox: 'docker.io/library/busybox:latest',
    'busybox:1.36': 'docker.io/library/busybox:1.36',
    'team/app': 'docker.io/team/app:latest',
    'index.docker.io/team/app:v1': 'docker.io/team/app:v1',
    'localhost/app': 'localhost/app:latest',
    'registry.example/app': 'registry.example/app:latest',
    'registry:5000/app': 'registry:5000/app:latest',
    'REGISTRY/app': 'REGISTRY/app:latest',
    '127.0.0.1:5000/a/b/c:v1': '127.0.0.1:5000/a/b/c:v1',
    '[::1]:5000/app:v1': '[::1]:5000/app:v1',
    [`registry.example/app@${digest}`]: `registry.example/app@${digest}`,
    [`registry.example/app:v1@${digest}`]: `registry.example/app:v1@${digest}`,
  };
  assert.deepEqual(
    Object.fromEntries(
      Object.keys(rows).map((text) => [text, formatImageReference(parseImageReference(text))]),
    ),
    rows,
  );
});

test('parseImageReference() rejects an invalid reference, and quotes it', () => {
  const wrong = [
    '',
    'Not A Reference',
    'UPPER',
    'a//b',
    'a/',
    '/a',
    'a:',
    'a:tag with blanks',
    'a@sha256:short',
    `a@${digest}@${digest}`,
    'a/../b',
    'registry.example/a:b:c',
    `registry.example/${'a'.repeat(250)}`,
    'http://registry.example/app',
    'registry.example:port/app',
  ];
  for (const text of wrong)
    assert.throws(
      () => parseImageReference(text),
      ({ kind, message }: Error & { kind: string }) =>
        kind === 'invalid-argument' && message.includes(`"${text}"`),
      text,
    );
});

test('a formatted reference parses to the same reference, and any text is parsed or rejected', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9.:/@_-]{1,60}$/)), (text) => {
      try {
        const whole = formatImageReference(parseImageReference(text));
        assert.equal(formatImageReference(parseImageReference(whole)), whole);
      } catch (error) {
        assert.equal((error as { kind?: string }).kind, 'invalid-argument');
      }
    }),
  );
});

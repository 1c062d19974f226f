import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseChallenge } from './challenge.ts';

test('parseChallenge() finds the supported challenge in every spelling of the header', () => {
  const rows: [string, ReturnType<typeof parseChallenge>][] = [
    ['Basic realm="x"', { scheme: 'basic' }],
    [
      'Bearer realm="https://auth.example/token",service="registry",scope="repository:a/b:pull,push"',
      {
        scheme: 'bearer',
        realm: 'https://auth.example/token',
        service: 'registry',
        scope: 'repository:a/b:pull,push',
      },
    ],
    ['bearer REALM=http://auth.example', { scheme: 'bearer', realm: 'http://auth.example' }],
    ['Bearer realm="https://a.example/\\"q\\""', { scheme: 'bearer', realm: 'https://a.example/"q"' }],
    ['Bearer service="no realm"', undefined],
    ['Bearer realm="not a url"', undefined],
    ['Negotiate', undefined],
    ['', undefined],
  ];
  for (const [header, expected] of rows) assert.deepEqual(parseChallenge(header), expected, header);
});

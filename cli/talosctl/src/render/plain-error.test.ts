import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainError } from './plain-error.ts';

test('plainError() replaces error codes of the system by words', () => {
  const rows: [string, string][] = [
    ["ENOENT: no such file or directory, open '/a/b.part'", 'open "/a/b.part": no such file or directory'],
    ['EISDIR: illegal operation on a directory, read', 'it is a folder'],
    [
      "talosconfig /etc cannot be read: EISDIR: illegal operation on a directory, read '/etc'",
      'talosconfig /etc cannot be read: it is a folder',
    ],
    ["ENOTDIR: not a directory, lstat '/a'", '"/a": not a directory'],
    ['ENOSPC: no space left on device, write', 'no space left on device'],
    [
      'etcd at 127.0.0.2:2379 cannot be reached: connect ECONNREFUSED 127.0.0.2:2379',
      'etcd at 127.0.0.2:2379 cannot be reached: connection refused',
    ],
    [
      'no route to node "n": connect ECONNREFUSED 127.0.0.1:50000 (via node01)',
      'no route to node "n": connect 127.0.0.1:50000: connection refused (via node01)',
    ],
    ['connect ECONNREFUSED ::1:50000', 'connect ::1:50000: connection refused'],
    ['EFBIG: file too large, write', 'file too large'],
    ['read ECONNRESET', 'the connection was reset'],
    [
      'its name does not resolve (ENOTFOUND) (via node01)',
      'its name does not resolve (no such host) (via node01)',
    ],
    [
      'time server "x": getaddrinfo ENOTFOUND x.invalid (after 2 ms)',
      'time server "x": x.invalid: no such host (after 2 ms)',
    ],
    [
      "resource Members.cluster.talos.dev(cluster/nosuch@undefined) doesn't exist",
      'there is no "nosuch" among the members of namespace cluster',
    ],
    ['cannot read "x": cannot read "x": permission denied', 'cannot read "x": permission denied'],
    ['/data/ENOENT/file: no EWHATEVER and no EPHEMERAL', '/data/ENOENT/file: no EWHATEVER and no EPHEMERAL'],
  ];
  assert.deepEqual(
    rows.map(([text]) => [text, plainError(text)]),
    rows,
  );
});

test('plainError() recognises the messages of this version of Node.js', async () => {
  const refused = await new Promise<Error>((resolve) => {
    connect(1, '127.0.0.1').once('error', resolve);
  });
  const failures = ['/nowhere/file', '/'].map((path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      return (error as Error).message;
    }
  });
  assert.deepEqual([refused.message, ...failures].map(plainError), [
    'connect 127.0.0.1:1: connection refused',
    'open "/nowhere/file": no such file or directory',
    'it is a folder',
  ]);
});

test('plainError() leaves other texts, and its own output, unchanged', () => {
  const seed = 20261122;
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z "().,/-]*$/), (text) => {
      assert.equal(plainError(text), text);
    }),
    { seed },
  );
});

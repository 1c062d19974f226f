import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dataProblem } from './data-version.ts';
import { etcdVersionText, parseEtcdVersion } from './etcd-version.ts';

const running = { major: 3, minor: 7 };
const advice =
  'nothing was changed; to go on, run that etcd again, or reset this node (talosctl reset --no-graceful) and then let it join, or bootstrap it from a snapshot';

test('dataProblem() accepts the data of any release of the same minor version', () => {
  assert.equal(dataProblem({ written: running, running }), undefined);
});

test('dataProblem() names both versions when the data are of another one, and says what to do', () => {
  for (const written of [
    { major: 3, minor: 6 },
    { major: 3, minor: 8 },
    { major: 4, minor: 7 },
  ])
    assert.equal(
      dataProblem({ written, running }),
      `etcd 3.7 cannot start: its data were written by etcd ${written.major}.${written.minor}; ${advice}`,
    );
});

test('dataProblem() rejects data whose version nobody has recorded, as earlier nodes left them', () => {
  assert.equal(
    dataProblem({ written: undefined, running }),
    `etcd 3.7 cannot start: its data were written by an etcd whose version is not recorded, such as 3.5; ${advice}`,
  );
});

test('parseEtcdVersion() reads what etcdVersionText() has written, and nothing else', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (major, minor) => {
      assert.deepEqual(parseEtcdVersion(`${etcdVersionText({ major, minor })}\n`), { major, minor });
    }),
  );
  for (const text of ['', '3', '3.', 'v3.7', '3.7.3', '3.7 3.6', 'x.y'])
    assert.equal(parseEtcdVersion(text), undefined);
});

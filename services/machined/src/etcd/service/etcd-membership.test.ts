// Tests how a node joins a real etcd cluster.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { peerUrlOf, randomLoopback, skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { joinEtcd } from './etcd-membership.ts';

const skip = skipWithoutEtcd();

test('a node that joins removes the member of its name when that is dead, and is refused while it lives', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  const openAt: EtcdAccess['openAt'] = async (endpoints) =>
    cluster.client({ endpoints, dialTimeoutMs: 10_000 });
  const access: EtcdAccess = {
    ...{ openAt, openLocal: () => openAt(cluster.endpoints), openCluster: () => openAt(cluster.endpoints) },
    ...{ own: async () => [], others: async () => cluster.endpoints.slice(0, 2) },
  };
  const [first, , namesake] = cluster.members;
  const name = namesake?.name ?? assert.fail();
  const self = { name, peerUrls: [peerUrlOf(randomLoopback())] };
  const members = async () => {
    await using client = await openAt([cluster.endpoints[0] ?? assert.fail()]);
    return (await client.members({ linearizable: true, timeoutMs: 5_000 })).map(({ id }) => id);
  };
  const before = await members();
  const join = async (report: (message: string, ends: AbortController) => void) => {
    const ends = new AbortController();
    const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
    const init = { access, log, timers: systemTimers, random: Math.random };
    return joinEtcd({ ...init, report: (message) => report(message, ends) }, self, ends.signal);
  };

  let reason = '';
  await assert.rejects(
    join((message, ends) => {
      reason = message;
      ends.abort();
    }),
  );
  assert.match(
    reason,
    new RegExp(`has the name "${name}", too, and is alive: give this node another host name`),
  );
  assert.deepEqual(await members(), before);

  // A join that has heard of the living member does not take it for dead while it restarts.
  let reasons = 0;
  await assert.rejects(
    join(async (_, ends) => {
      reasons += 1;
      if (reasons > 1) return;
      await namesake?.stop('SIGKILL');
      setTimeout(() => ends.abort(), 15_000);
    }),
  );
  assert.deepEqual([await members(), reasons], [before, 1]);

  const initialCluster = await join(() => {});
  assert.ok(initialCluster.includes(`${name}=${self.peerUrls[0]}`), initialCluster);
  assert.ok(initialCluster.includes(first?.name ?? assert.fail()));
  const after = await members();
  assert.equal(after.length, 3);
  assert.equal(after.filter((id) => before.includes(id)).length, 2);
});

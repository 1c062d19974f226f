// Each method of the client has to pass on what its caller gives it, which a caller whose etcd answers does not notice.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { noTelemetry } from '@nodewright/telemetry';
import type { CallOptions, EtcdClient } from './etcd-client.ts';
import type { EtcdFault } from './etcd-fault.ts';
import { openEtcdClient } from './open-etcd-client.ts';
import { createTestPki } from './testing/index.ts';

/** A client whose only endpoint refuses connections. */
async function openUnreachable() {
  // A port that was free a moment ago.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const { admin } = await createTestPki();
  return openEtcdClient({ endpoints: [`127.0.0.1:${port}`], tls: admin, telemetry: noTelemetry });
}

async function firstOf(pieces: AsyncIterable<unknown>): Promise<unknown> {
  for await (const piece of pieces) return piece;
  return undefined;
}

const calls: Readonly<Record<string, (client: EtcdClient, options: CallOptions) => Promise<unknown>>> = {
  members: (client, options) => client.members(options),
  addLearner: (client, options) => client.addLearner(['https://127.0.0.1:2380'], options),
  removeMember: (client, options) => client.removeMember(1n, options),
  updateMember: (client, options) => client.updateMember(1n, ['https://127.0.0.1:2380'], options),
  promote: (client, options) => client.promote(1n, options),
  status: (client, options) => client.status(options),
  alarms: (client, options) => client.alarms(options),
  disarm: (client, options) => client.disarm(undefined, options),
  defragment: (client, options) => client.defragment(options),
  moveLeader: (client, options) => client.moveLeader(1n, options),
  snapshot: (client, { signal }) => firstOf(client.snapshot(signal)),
  downgrade: (client, options) => client.downgrade('validate', '3.6', options),
  get: (client, options) => client.get('x', options),
  list: (client, options) => client.list('x', options),
  put: (client, options) => client.put('x', 'y', options),
  delete: (client, options) => client.delete('x', options),
  deletePrefix: (client, options) => client.deletePrefix('x', options),
  txn: (client, options) => client.txn({ compare: [], success: [], failure: [] }, options),
  compact: (client, options) => client.compact(1n, options),
  createLease: (client, options) => client.createLease(60, options),
  keepLeaseAlive: (client, options) => client.keepLeaseAlive(1n, options),
  grantLease: (client, options) => client.grantLease(60, options),
  lock: (client, { signal }) => client.lock('x', signal === undefined ? {} : { signal }),
};

test('each call of a client of etcd is cancelled by the signal of its caller', async () => {
  await using client = await openUnreachable();
  const own = Object.keys(client).filter((name) => name !== 'endpoints' && name !== 'watchPrefix');
  assert.deepEqual(Object.keys(calls).sort(), own.sort());
  const kindsOf = (options: CallOptions) =>
    Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        const kind = await call(client, options).then(
          () => 'answered',
          (fault: EtcdFault) => fault.kind,
        );
        return [name, kind];
      }),
    );
  const all = (kind: string) => Object.keys(calls).map((name) => [name, kind]);
  assert.deepEqual(await kindsOf({ signal: AbortSignal.abort() }), all('cancelled'));
  assert.deepEqual(await kindsOf({}), all('unavailable'));
});

test('a watch of a prefix tells its caller of each failure', async () => {
  await using client = await openUnreachable();
  const stop = new AbortController();
  const failures: EtcdFault[] = [];
  const onFailure = (fault: Error) => {
    failures.push(fault as EtcdFault);
    if (failures.length === 2) stop.abort();
  };
  for await (const { kind } of client.watchPrefix('x', stop.signal, { onFailure })) assert.fail(kind);
  assert.deepEqual(
    failures.map(({ kind, reason }) => [kind, reason]),
    Array(2).fill(['unavailable', 'unreachable']),
  );
});

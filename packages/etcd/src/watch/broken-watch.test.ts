// A fake member whose stream breaks while it sends a long history. A real member does this only when it dies.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ServerCredentials } from '@grpc/grpc-js';
import {
  KVDefinition,
  WatchDefinition,
  type WatchRequest,
} from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import { Event_EventType } from '@nodewright/contract/gen/mvccpb/kv.ts';
import { noTelemetry } from '@nodewright/telemetry';
import { createServer } from 'nice-grpc';
import { openEtcdClient } from '../open-etcd-client.ts';
import { createTestPki } from '../testing/index.ts';

/** etcd sends at most so many revisions in one response to a watch that catches up. */
const revisionsInResponse = 1_000n;
/** The revision of the store when the first stream breaks. One more change follows, which ends the test. */
const revisionThen = 2_901n;
const lastRevision = 2_902n;

/** A member with an empty list at revision 1 and one change at each later revision. */
async function startMember(t: TestContext, repliesFrom: (from: bigint, stream: number) => Iterable<object>) {
  const pki = await createTestPki();
  const { certificate, key } = await pki.server('127.0.0.1');
  const unbuilt = async () => assert.fail('not called');
  const starts: bigint[] = [];
  const server = createServer();
  server.add(KVDefinition, {
    ...{ put: unbuilt, deleteRange: unbuilt, txn: unbuilt, compact: unbuilt },
    range: async () => ({ header: { revision: 1n } }),
  });
  server.add(WatchDefinition, {
    async *watch(requests: AsyncIterable<WatchRequest>) {
      for await (const { requestUnion } of requests) {
        if (requestUnion?.$case !== 'createRequest') assert.fail('not a new watch');
        const from = requestUnion.value.startRevision;
        starts.push(from);
        yield { created: true };
        yield* repliesFrom(from, starts.length);
        if (starts.length === 1) return;
      }
    },
  });
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) };
  const credentials = ServerCredentials.createSsl(Buffer.from(pki.ca.certificate), [pair], true);
  const endpoint = `127.0.0.1:${await server.listen('127.0.0.1:0', credentials)}`;
  t.after(() => server.forceShutdown());
  const client = openEtcdClient({ endpoints: [endpoint], tls: pki.admin, telemetry: noTelemetry });
  t.after(() => client[Symbol.asyncDispose]());
  return { client, starts };
}

/** The responses to a watch that catches up: each header has the revision of the store. */
function* historyFrom(from: bigint, storeRevision = lastRevision) {
  for (let first = from; first <= storeRevision; first += revisionsInResponse) {
    const end = first + revisionsInResponse;
    const events = [];
    for (let revision = first; revision < end && revision <= storeRevision; revision++)
      events.push({
        type: Event_EventType.PUT,
        kv: { key: Buffer.from(`key${revision}`), modRevision: revision },
      });
    yield { header: { revision: storeRevision }, events };
  }
}

test('watchPrefix() resumes behind the last change it delivered when a stream breaks while it catches up', async (t) => {
  const { client, starts } = await startMember(t, (from, stream) =>
    stream === 1 ? historyFrom(from, revisionThen).take(1) : historyFrom(from),
  );
  const seen: bigint[] = [];
  const revisions: bigint[] = [];
  for await (const update of client.watchPrefix('', t.signal)) {
    if (update.kind === 'all') continue;
    revisions.push(update.revision);
    seen.push(...update.changes.map((change) => (change.kind === 'put' ? change.keyValue.modRevision : 0n)));
    if (seen.at(-1) === lastRevision) break;
  }
  assert.deepEqual(starts, [2n, 1_002n]);
  assert.deepEqual(
    seen,
    Array.from({ length: 2_901 }, (_, index) => BigInt(index) + 2n),
  );
  assert.deepEqual(revisions, [1_001n, 2_001n, 2_902n]);
});

test('watchPrefix() resumes behind the reported progress when a response has no changes', async (t) => {
  const { client, starts } = await startMember(t, (from, stream) =>
    stream === 1 ? [{ header: { revision: 1_900n } }] : historyFrom(from),
  );
  for await (const { kind } of client.watchPrefix('', t.signal)) if (kind === 'changes') break;
  assert.deepEqual(starts, [2n, 1_901n]);
});

test('watchPrefix() reads no key again when a member ends the watch for another reason than a compaction', async (t) => {
  const { client, starts } = await startMember(t, (from, stream) =>
    stream === 1
      ? [
          ...historyFrom(from, revisionThen).take(1),
          { canceled: true, cancelReason: 'etcdserver: no leader' },
        ]
      : historyFrom(from, from),
  );
  const kinds: string[] = [];
  for await (const update of client.watchPrefix('', t.signal)) {
    kinds.push(update.kind);
    if (kinds.length === 3) break;
  }
  assert.deepEqual(
    [starts, kinds],
    [
      [2n, 1_002n],
      ['all', 'changes', 'changes'],
    ],
  );
});

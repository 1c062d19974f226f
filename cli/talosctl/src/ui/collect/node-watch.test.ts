import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { WatchRequest, WatchResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { Fault } from '@nodewright/fault';
import { codecsOf, MemoryState, pointerTo, registerKind, registerMeta } from '@nodewright/state';
import { machineStatuses } from '@nodewright/state/kinds';
import { createStateService } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import type { NodeSummary } from '../protocol/messages.ts';
import { NodeWatch } from './node-watch.ts';

const ready = { stage: 'running', status: { ready: true, unmetConditions: [] } } as const;

/** A watch of a node whose answers a test decides. */
async function openWatch() {
  const store = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  await registerMeta(store);
  await registerKind(store, machineStatuses);
  const service = createStateService({
    ...{ stateOf: () => store, codecs: codecsOf([machineStatuses]), now: () => 0 },
  }).implementation;
  const rig = {
    store,
    isAway: false,
    /** A new watch of a resource begins when this has resolved. */
    mayWatch: Promise.resolve(),
    etcd: 'Running',
    answerEtcd: (): Promise<object> => new Promise<never>(() => {}),
    summaries: [] as NodeSummary[],
    get last(): NodeSummary | undefined {
      return rig.summaries.at(-1);
    },
    setStatus: async (spec: typeof ready) => {
      await store.create({ ...pointerTo(machineStatuses, machineStatuses.singleton), spec });
    },
    watch: undefined as unknown as NodeWatch,
    [Symbol.dispose]: () => rig.watch[Symbol.dispose](),
  };
  const answer = async (messages: readonly object[]) => {
    if (rig.isAway) throw new Fault('unavailable', 'no route');
    return { messages };
  };
  const machine = {
    loadAvg: () => answer([{ load1: 1, load5: 1, load15: 1 }]),
    memory: () => answer([{}]),
    systemStat: () => answer([{ bootTime: 1n, cpu: [] }]),
    serviceList: () => answer([{ services: [{ id: 'etcd', state: rig.etcd }] }]),
    etcdStatus: () => rig.answerEtcd(),
    etcdAlarmList: () => answer([{ memberAlarms: [] }]),
  };
  const state = {
    async *watch(request: object, { signal }: { readonly signal: AbortSignal }) {
      await rig.mayWatch;
      const context = { signal } as never;
      for await (const each of service.watch(WatchRequest.fromPartial(request), context))
        yield WatchResponse.fromPartial(each);
    },
  };
  rig.watch = new NodeWatch({
    node: { name: 'node01', machine, state } as unknown as NodeClient,
    client: {} as TalosClient,
    // The members of etcd are read whenever this clock is at a whole five seconds, which is always in 10 ms.
    now: () => new Date(4990),
    intervalMs: 20,
    onSummary: (summary) => rig.summaries.push(summary),
    onPoint: () => {},
  });
  return rig;
}

const limit = { timeoutMs: 10_000 };

test('a node that comes back is not known to be ready before it says so, and is when a watch of it never broke', async () => {
  using rig = await openWatch();
  await rig.setStatus(ready);
  await eventually(() => rig.last?.isReady === true, { what: 'ready node', ...limit });

  rig.isAway = true;
  await eventually(() => rig.last?.reach.kind === 'away', { what: 'lost node', ...limit });
  assert.deepEqual([rig.last?.isReady, rig.last?.stage], [undefined, undefined]);

  const gate = Promise.withResolvers<void>();
  rig.mayWatch = gate.promise;
  const before = rig.summaries.length;
  rig.isAway = false;
  await eventually(() => rig.last?.reach.kind === 'here', { what: 'node that is back', ...limit });
  for (const { isReady, stage } of rig.summaries.slice(before))
    assert.deepEqual([isReady, stage], [undefined, undefined]);

  gate.resolve();
  await eventually(() => rig.last?.isReady === true, { what: 'node that is ready again', ...limit });
});

const member = { memberStatus: { memberId: 7n, leader: 7n, raftTerm: 1n, errors: [] } };

test('a member of etcd that was not asked yet is not a silent one, neither at the start nor after the node was away', async () => {
  using rig = await openWatch();
  rig.answerEtcd = () => Promise.reject(new Fault('deadline-exceeded', 'no answer'));
  const said = () => [rig.last?.etcd?.id, rig.last?.isEtcdSilent];
  await eventually(() => rig.last?.isEtcdSilent === true, { what: 'silent member', ...limit });
  assert.deepEqual([rig.summaries[0]?.reach.kind, rig.summaries[0]?.isEtcdSilent], ['here', undefined]);

  rig.answerEtcd = async () => ({ messages: [member] });
  await eventually(() => rig.last?.etcd !== undefined, { what: 'member that answers', ...limit });
  assert.deepEqual(said(), ['0000000000000007', undefined]);

  rig.answerEtcd = () => Promise.reject(new Fault('deadline-exceeded', 'no answer'));
  await eventually(() => rig.last?.isEtcdSilent === true, { what: 'member that is silent again', ...limit });
  rig.isAway = true;
  await eventually(() => rig.last?.reach.kind === 'away', { what: 'lost node', ...limit });
  assert.deepEqual(said(), [undefined, undefined]);
});

test('nothing is known of a member of etcd whose service does not run, or that the caller may not ask', async () => {
  using rig = await openWatch();
  rig.answerEtcd = async () => ({ messages: [member] });
  await eventually(() => rig.last?.etcd !== undefined, { what: 'member that answers', ...limit });
  rig.etcd = 'Finished';
  await eventually(() => rig.last?.etcd === undefined, { what: 'member that has stopped', ...limit });
  assert.equal(rig.last?.isEtcdSilent, undefined);

  rig.etcd = 'Running';
  await eventually(() => rig.last?.etcd !== undefined, { what: 'member that runs again', ...limit });
  rig.answerEtcd = () => Promise.reject(new Fault('permission-denied', 'not permitted'));
  await eventually(() => rig.last?.etcd === undefined, { what: 'member that may not be asked', ...limit });
  assert.equal(rig.last?.isEtcdSilent, undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import type { EtcdClient, LockOptions } from '@nodewright/etcd';
import type { HealthResult } from '@nodewright/services';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { PodProblem } from '../domain/pod-status.ts';
import { type OtherServer, replaceInTurn } from './replace-in-turn.ts';

interface Case {
  /** How many of the first checks the API server of this node fails; by default none. */
  readonly ownFailures?: number;
  /** Names of other nodes whose API servers are not ready. */
  readonly down?: readonly string[];
  readonly etcd?: 'none' | 'refuses the lock' | 'loses its leader';
  /** Voters of etcd of whose nodes this one knows nothing. */
  readonly absent?: readonly string[];
  readonly isNeeded?: boolean;
  /** How many checks the new API server fails; by default one. */
  readonly failures?: number;
  /** After how many checks of the new API server the settings change again. */
  readonly changesAfter?: number;
  /** Why the API server of this node cannot be replaced. */
  readonly obstacle?: string;
  /** For how many checks of the new API server the kubelet is away. */
  readonly away?: number;
}

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const others: readonly OtherServer[] = ['node02', 'node03'].map((node) => ({
  node,
  hosts: [node],
  port: 6443,
}));

async function outcomeOf({
  ownFailures = 0,
  down = [],
  etcd,
  absent = [],
  isNeeded = true,
  failures = 1,
  changesAfter,
  obstacle,
  away = 0,
}: Case) {
  const done: string[] = [];
  const problems: (PodProblem | undefined)[] = [];
  const timers = new FakeTimers();
  let checks = 0;
  let firstChecks = 0;
  let isReplaced = false;
  const notReady: HealthResult = { healthy: false, message: 'refused' };
  const checkOwn = async (): Promise<HealthResult> => {
    setImmediate(() => timers.step(timers.now() + 2000));
    if (!isReplaced) {
      firstChecks += 1;
      return firstChecks > ownFailures ? { healthy: true } : notReady;
    }
    checks += 1;
    return checks > failures ? { healthy: true } : notReady;
  };
  const client = {
    async lock(_name: string, { signal }: LockOptions = {}) {
      if (etcd === 'refuses the lock') throw new Error(`no leader, ${signal?.aborted}`);
      done.push('lock');
      return {
        signal: new AbortController().signal,
        [Symbol.asyncDispose]: async () => void done.push('unlock'),
      };
    },
    async members() {
      if (etcd === 'loses its leader') throw new Error('no leader');
      const voters = ['node01', 'node02', 'node03', ...absent].map((name) => ({ name, isLearner: false }));
      return [...voters, { name: 'node09', isLearner: true }];
    },
    [Symbol.asyncDispose]: async () => void done.push('close'),
  } as unknown as EtcdClient;
  const postponed = await replaceInTurn(
    {
      async openEtcd() {
        if (etcd === 'none') throw new Error('no etcd');
        return client;
      },
      others: async () => others,
      absent: async (voters) => voters.filter((name) => !/^node0[1-3]$/.test(name)),
      checkOther: async ({ node }) => (down.includes(node) ? notReady : { healthy: true }),
      checkOwn,
      obstacle: async () => obstacle,
      isReplacerAway: async () => checks < away,
      async replace() {
        isReplaced = true;
        done.push('replace');
      },
      report: (problem) => problems.push(problem),
      timers,
      log,
    },
    {
      signal: new AbortController().signal,
      isNeeded: async () => (isReplaced ? changesAfter !== undefined && checks >= changesAfter : isNeeded),
    },
  );
  return { done: done.join(' '), postponed: postponed?.reason, problems };
}

test('replaceInTurn() replaces under a lock while all others are ready, and waits until it is ready', async () => {
  assert.deepEqual(await outcomeOf({ failures: 3 }), {
    ...{ done: 'lock replace unlock close', postponed: undefined, problems: [undefined] },
  });
});

test('replaceInTurn() waits while another API server is not ready, and names it', async () => {
  const reason =
    'kube-apiserver of node03 is not ready (refused): this node replaces its own only while all others are ready';
  assert.deepEqual(await outcomeOf({ down: ['node03'] }), {
    ...{ done: 'lock unlock close', postponed: reason, problems: [{ kind: 'waits', reason }] },
  });
});

test('replaceInTurn() waits for a control plane that is in etcd and that this node does not see', async () => {
  const all = 'this node replaces its own only while all others are ready';
  for (const [given, reason] of [
    [{ absent: ['node04'] }, `control plane node04 is in etcd, and is not there: ${all}`],
    [{ etcd: 'loses its leader' }, `etcd does not say which control planes there are (no leader): ${all}`],
  ] as const)
    assert.deepEqual(await outcomeOf(given), {
      ...{ done: 'lock unlock close', postponed: reason, problems: [{ kind: 'waits', reason }] },
    });
  // One that is not ready itself is replaced all the same.
  assert.match((await outcomeOf({ absent: ['node04'], ownFailures: 1000 })).done, /replace/);
});

test('replaceInTurn() replaces a server that is not ready whatever the others do, also without etcd', async () => {
  const repaired = { postponed: undefined, problems: [undefined] };
  assert.deepEqual(await outcomeOf({ ownFailures: 1000, down: ['node02', 'node03'] }), {
    done: 'lock replace unlock close',
    ...repaired,
  });
  assert.deepEqual(await outcomeOf({ ownFailures: 1000, etcd: 'none' }), { done: 'replace', ...repaired });
});

test('replaceInTurn() does not take a server for one that is not ready because it is slow once', async () => {
  const { done, postponed } = await outcomeOf({ ownFailures: 2, down: ['node02'] });
  assert.equal(done, 'lock unlock close');
  assert.match(postponed ?? '', /kube-apiserver of node02 is not ready/);
});

test('replaceInTurn() leaves a ready server alone without the lock', async () => {
  for (const etcd of ['none', 'refuses the lock'] as const) {
    const { done, postponed } = await outcomeOf({ etcd });
    assert.doesNotMatch(done, /replace/);
    assert.match(postponed ?? '', /another control plane replaces its kube-apiserver, or etcd has no leader/);
  }
});

test('replaceInTurn() does nothing when the settings are back before its turn', async () => {
  assert.deepEqual(await outcomeOf({ isNeeded: false }), {
    ...{ done: 'lock unlock close', postponed: undefined, problems: [] },
  });
});

test('replaceInTurn() reports a server that is not ready after two minutes, and gives up its turn', async () => {
  const { done, problems } = await outcomeOf({ failures: 1000 });
  assert.equal(done, 'lock replace unlock close');
  const reason = 'not ready 120 s after it was replaced (refused); see: talosctl logs kube-apiserver';
  assert.deepEqual(problems, [{ kind: 'failed', reason }]);
});

test('replaceInTurn() stops waiting when the settings change again', async () => {
  const { done, problems } = await outcomeOf({ failures: 1000, changesAfter: 2 });
  assert.deepEqual([done, problems], ['lock replace unlock close', []]);
});

test('replaceInTurn() waits while a kubelet that is away could not replace a ready server', async () => {
  const reason = 'the kubelet of this node does not report it';
  assert.deepEqual(await outcomeOf({ obstacle: reason }), {
    ...{ done: 'lock unlock close', postponed: reason, problems: [{ kind: 'waits', reason }] },
  });
  assert.equal((await outcomeOf({ obstacle: reason, ownFailures: 1000 })).done, 'lock replace unlock close');
});

test('replaceInTurn() keeps its turn while the kubelet is away, for a quarter of an hour at most', async () => {
  const { problems } = await outcomeOf({ failures: 400, away: 399 });
  assert.deepEqual(problems, [undefined]);
  const reason = 'not ready 900 s after it was replaced (refused); see: talosctl logs kube-apiserver';
  assert.deepEqual((await outcomeOf({ failures: 10_000, away: 10_000 })).problems, [
    { kind: 'failed', reason },
  ]);
});

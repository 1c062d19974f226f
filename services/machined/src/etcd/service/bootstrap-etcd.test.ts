import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import type { EtcdClient } from '@nodewright/etcd';
import { Fault, faultFrom } from '@nodewright/fault';
import type { EffectiveConfig } from '@nodewright/machine-config';
import type { Condition } from '@nodewright/services';
import type { DiagnosticSpec } from '@nodewright/state/kinds';
import type { BootstrapWish } from '../domain/start-mode.ts';
import { bootstrapEtcd } from './bootstrap-etcd.ts';
import type { NodeEtcd } from './node-etcd.ts';

const wish: BootstrapWish = { recover: false, skipHashCheck: false };
const ca = { certificate: 'c', key: 'k' };

interface Case {
  readonly cannotRun?: true;
  readonly ca?: typeof ca;
  readonly isDeclared?: boolean;
  readonly isInSync?: boolean;
  readonly timeProblem?: DiagnosticSpec;
  readonly hasData?: true;
  /** Whether another control plane's etcd answers. */
  readonly hasCluster?: true;
}

/** Calls `bootstrapEtcd()` on a node in this state. Returns how often etcd was bootstrapped, or the error. */
async function outcomeOf(node: Case): Promise<string> {
  const wishes: BootstrapWish[] = [];
  const timers = new FakeTimers();
  const timeSync: Condition = {
    text: 'time sync',
    isMet: () => node.isInSync ?? true,
    wait: (signal) =>
      new Promise((resolve) => {
        if (node.isInSync ?? true) resolve();
        signal.addEventListener('abort', () => resolve());
      }),
  };
  const service = {
    isDeclared: node.isDeclared ?? true,
    async assertNoData() {
      if (node.hasData) throw new Fault('already-exists', 'etcd data directory is not empty');
    },
    bootstrap: async (asked: BootstrapWish) => void wishes.push(asked),
  };
  const client = {
    members: async () => {
      if (!node.hasCluster) throw new Fault('unavailable', 'nobody');
      return [];
    },
    [Symbol.asyncDispose]: async () => {},
  } as unknown as EtcdClient;
  const etcd = {
    access: { others: async () => ['10.0.0.2:2379'], openAt: async () => client },
    run: node.cannotRun ? undefined : { service, timeSync },
  } as unknown as NodeEtcd;
  const configuration = () => ({ isComplete: true, etcd: { ca: node.ca } }) as EffectiveConfig;
  const called = bootstrapEtcd(
    { etcd, configuration, timers, timeProblem: async () => node.timeProblem },
    wish,
  );
  const settled = called.then(
    () => `bootstrapped ${wishes.length}`,
    (error: unknown) => `${faultFrom(error).kind}: ${faultFrom(error).message}`,
  );
  while (timers.step(timers.now() + 10_000));
  return settled;
}

test('bootstrapEtcd() says what the clock waits for, and why', async () => {
  const timeProblem = {
    message: 'the clock waits: no answer',
    details: ['etcd waits for it', 'name others'],
  };
  assert.equal(
    await outcomeOf({ ca, isInSync: false, timeProblem }),
    'failed-precondition: time is not in sync yet: the clock waits: no answer; etcd waits for it; name others',
  );
  assert.equal(await outcomeOf({ ca, timeProblem }), 'bootstrapped 1');
});

test('bootstrapEtcd() checks the preconditions in the same order as Talos, then bootstraps once', async () => {
  const table: [Case, string][] = [
    [
      { cannotRun: true },
      'failed-precondition: bootstrap is not available: this node was started without etcd (machined --etcd-binary)',
    ],
    [
      { isInSync: false, hasData: true },
      'invalid-argument: etcd is not configured, bootstrap is not possible',
    ],
    [
      { ca, isDeclared: false, isInSync: false },
      'failed-precondition: bootstrap is not available yet: the node has not started its etcd service',
    ],
    [{ ca, isInSync: false, hasData: true }, 'failed-precondition: time is not in sync yet'],
    [{ ca, hasData: true, hasCluster: true }, 'already-exists: etcd data directory is not empty'],
    [
      { ca, hasCluster: true },
      'already-exists: an etcd cluster already answers at 10.0.0.2:2379: this node must join it instead of creating another one',
    ],
    [{ ca }, 'bootstrapped 1'],
  ];
  for (const [node, outcome] of table) assert.equal(await outcomeOf(node), outcome);
});

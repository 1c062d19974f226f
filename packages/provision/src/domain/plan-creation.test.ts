import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultKind } from '@nodewright/fault';
import type { ClusterState } from './cluster-state.ts';
import { type CreationPlan, type CreationWish, type FoundCluster, planCreation } from './plan-creation.ts';

const state: ClusterState = {
  provisioner: 'process',
  name: 'c',
  phase: 'created',
  shape: { controlPlanes: 3, workers: 1 },
  patchDigest: 'none',
  network: { cidr: '127.20.1.0/24', gateway: '127.20.1.1' },
  nodes: [],
};
const wish: CreationWish = {
  provisioner: 'process',
  name: 'c',
  shape: { controlPlanes: 3, workers: 1 },
  cidr: undefined,
  patchDigest: 'none',
  ifAbsent: false,
};
const stopped: FoundCluster = { kind: 'cluster', state, supervisorPid: undefined };
const running: FoundCluster = { kind: 'cluster', state, supervisorPid: 4711 };
const halfMade: FoundCluster = {
  kind: 'cluster',
  state: { ...state, phase: 'creating' },
  supervisorPid: undefined,
};

const withKubernetes = {
  kind: 'cluster',
  state: { ...state, kubernetes: { version: '1.37.1' } },
  supervisorPid: undefined,
} as const;

test('planCreation() plans only what is missing', () => {
  const rows: [string, FoundCluster, Partial<CreationWish>, CreationPlan][] = [
    ['nothing there', { kind: 'nothing' }, {}, { kind: 'create' }],
    ['an empty folder', { kind: 'empty' }, {}, { kind: 'clean-and-create' }],
    ['interrupted', halfMade, {}, { kind: 'clean-and-create' }],
    [
      'interrupted, other shape',
      halfMade,
      { shape: { controlPlanes: 1, workers: 0 } },
      { kind: 'clean-and-create' },
    ],
    ['stopped', stopped, {}, { kind: 'start', state }],
    ['stopped, same range', stopped, { cidr: '127.20.1.0/24' }, { kind: 'start', state }],
    [
      'stopped, with Kubernetes, which was not asked for',
      withKubernetes,
      {},
      { kind: 'start', state: withKubernetes.state },
    ],
    [
      'stopped, with Kubernetes',
      withKubernetes,
      { kubernetes: true },
      { kind: 'start', state: withKubernetes.state },
    ],
    ['runs, asked to keep', running, { ifAbsent: true }, { kind: 'keep', state }],
  ];
  for (const [name, found, change, plan] of rows) {
    assert.deepEqual(planCreation(found, { ...wish, ...change }), plan, name);
  }
});

test('planCreation() rejects a conflict with its reason and what to do about it', () => {
  const rows: [FoundCluster, Partial<CreationWish>, FaultKind, RegExp][] = [
    [
      stopped,
      { kubernetes: true },
      'failed-precondition',
      /exists without Kubernetes, not with it: destroy it first/,
    ],
    [running, {}, 'already-exists', /^cluster "c" already runs \(supervisor pid 4711\)/],
    [
      stopped,
      { shape: { controlPlanes: 1, workers: 1 } },
      'failed-precondition',
      /with 3 .* and 1 worker, not with 1 .*destroy it first/,
    ],
    [
      running,
      { shape: { controlPlanes: 1, workers: 1 }, ifAbsent: true },
      'failed-precondition',
      /destroy it first/,
    ],
    [
      stopped,
      { cidr: '127.20.2.0/24' },
      'failed-precondition',
      /on 127\.20\.1\.0\/24, not on 127\.20\.2\.0\/24/,
    ],
    [stopped, { patchDigest: 'other' }, 'failed-precondition', /with other config patches/],
    [{ kind: 'foreign', folder: '/x/c' }, {}, 'failed-precondition', /^\/x\/c exists and is not a cluster/],
  ];
  for (const [found, change, kind, message] of rows) {
    assert.throws(
      () => planCreation(found, { ...wish, ...change }),
      (error) => error instanceof Fault && error.kind === kind && message.test(error.message),
      String(message),
    );
  }
});

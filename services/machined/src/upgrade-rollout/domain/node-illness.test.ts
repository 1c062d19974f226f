import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineStatusSpec, UpgradeStatusSpec } from '@nodewright/state/kinds';
import type { PlanState } from '../../upgrade-plan/upgrade-plan-topic.ts';
import { nodeIllness } from './node-illness.ts';

const ready: MachineStatusSpec = { stage: 'running', status: { ready: true, unmetConditions: [] } };
const unmetConditions = [{ name: 'services', reason: 'kubelet not healthy' }];
const plan = (phase: 'running' | 'failed'): PlanState => ({
  plan: {
    ...{ id: 'a'.repeat(32), kind: 'upgrade', image: 'x', allowsDowngrade: false, dropsExtensions: false },
    ...{ ignoresEtcd: false, restart: 'graceful', actorId: '', phase, step: 'drain', reason: '' },
    ...{ slotBefore: 'A', slot: '', restarts: 0 },
  },
  waitsFor: '',
});
const none: PlanState = { plan: undefined, waitsFor: '' };
const trial = { mode: 'trial' } as UpgradeStatusSpec;

for (const [facts, illness] of [
  [{}, undefined],
  [{ state: plan('failed') }, undefined],
  [{ state: { ...none, plan: 'unknown' } }, 'its disk is not mounted yet'],
  [{ state: plan('running'), isUpgrading: true }, 'its upgrade is at the step drain'],
  [{ isUpgrading: true }, 'another upgrade of it runs'],
  [{ machine: undefined }, 'it is starting'],
  [{ machine: { ...ready, stage: 'booting' } }, 'it is booting'],
  [{ machine: { ...ready, status: { ready: false, unmetConditions: [] } } }, 'it is not ready'],
  [
    { machine: { ...ready, status: { ready: false, unmetConditions } } },
    'it is not ready: services: kubelet not healthy',
  ],
  [{ status: trial }, 'it tries a new system'],
] as const)
  test(`a node with ${JSON.stringify(facts)} is ${illness ?? 'well'}`, () => {
    const given = {
      machine: ready as MachineStatusSpec | undefined,
      state: none,
      isUpgrading: false,
      ...facts,
    };
    const { machine, state, isUpgrading } = given;
    const status = 'status' in facts ? facts.status : undefined;
    assert.equal(nodeIllness({ machine, status, state: state as PlanState, isUpgrading }), illness);
  });

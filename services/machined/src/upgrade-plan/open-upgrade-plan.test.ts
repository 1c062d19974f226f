// The topic as the node has it: its record in a real file, its resources, and its events.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource } from '@nodewright/state';
import { upgradePlans, upgradeStatuses, upgradeSteps } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { openControllerRig } from '../base/testing/controller-rig.ts';
import type { NodeEvent } from '../life/domain/node-event.ts';
import { openUpgradePlan } from './open-upgrade-plan.ts';
import { freeNode } from './testing/test-plans.ts';
import type { PlanSequences } from './upgrade-plan-topic.ts';

const folder = mkdtempSync(join(tmpdir(), 'upgrade-plan-'));
after(() => rmSync(folder, { recursive: true }));

test('the steps are a file, resources and events, until the machine goes down and after it', async () => {
  const path = join(folder, 'plan.json');
  const stop = new AbortController();
  const events: [string, string | undefined][] = [];
  const publish = (event: NodeEvent, actorId?: string) => {
    if (event.kind === 'service') events.push([`${event.service}: ${event.entry.message}`, actorId]);
  };
  const rig = openControllerRig([]);
  const status = (slot: string, mode: string, trial: string) =>
    putResource(rig.state, {
      ...pointerTo(upgradeStatuses),
      spec: { ...{ slot, mode, trial, reason: '', previous: '', failed: '', staged: '' }, paused: false },
    });
  await status('A', 'confirmed', '');
  let ended = 0;
  const sequences: PlanSequences = {
    async upgrade(_kind, _actor, work) {
      await work(stop.signal);
      ended += 1;
    },
    restart: async () => assert.fail('it restarts again'),
  };
  const open = () =>
    openUpgradePlan({
      ...{ path, state: rig.state, signal: stop.signal, events: { publish }, hostname: () => 'node01' },
      upgrades: {
        upgrade: () => status('A', 'confirmed', 'B').then(() => {}),
        disarm: async () => assert.fail('it is disarmed'),
      },
      openEtcd: () => Promise.reject(new Fault('unavailable', 'no etcd')),
      isReadable: async () => {},
      isMember: async () => false,
      assertMayUpgrade: async () => {},
      drain: undefined,
      log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
    });
  const first = open();
  first.begin(sequences, freeNode);
  const wanted = { image: 'registry.example/installer:v1', allowsDowngrade: false, dropsExtensions: false };
  const asked = { ...wanted, ignoresEtcd: false, restart: 'graceful', actorId: 'actor' } as const;
  // Until the record was read, nothing begins.
  await assert.rejects(first.plans.begin(asked, stop.signal), /not mounted yet/);
  const begins = () =>
    first.plans.begin(asked, stop.signal).then(
      () => true,
      () => false,
    );
  await eventually(begins, { what: 'a plan' });
  await eventually(async () => ended === 1, { what: 'the restart' });
  assert.deepEqual(
    events,
    ['turn', 'cordon', 'drain', 'write', 'reboot'].map((step) => [`upgrade: ${step}`, 'actor']),
  );
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).step, 'reboot');

  // After the restart.
  await status('B', 'trial', 'B');
  const second = open();
  const shown = openControllerRig(second.controllers);
  second.begin(sequences, freeNode);
  await eventually(
    async () => {
      await shown.settled();
      const [plan] = await shown.specs(upgradePlans);
      return plan?.[1].step === 'confirm' && plan[1].reason === 'the new system is not confirmed yet';
    },
    { what: 'the trial' },
  );
  assert.deepEqual(
    (await shown.specs(upgradeSteps)).map(([id, { order, state }]) => `${order} ${id} ${state}`).sort(),
    [
      ...['1 quorum done', '2 turn done', '3 cordon done', '4 drain done', '5 write done', '6 reboot done'],
      ...['7 check done', '8 confirm waiting', '9 uncordon pending'],
    ],
  );
  stop.abort();
  await rig[Symbol.asyncDispose]();
  await shown[Symbol.asyncDispose]();
});

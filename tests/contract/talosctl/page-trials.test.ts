// Trials of configurations, as the node says how they end: it may go back by itself at any time.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NodeClient, openTalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import {
  ApplyConfigurationRequest,
  ApplyConfigurationResponse,
  type ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { FakeTimers } from '@nodewright/controllers/testing';
import { type MemoryState, pointerTo } from '@nodewright/state';
import { machineConfigs, yamlSpecAnnotation } from '@nodewright/state/kinds';
import { NodeConfigurations } from '../../../cli/talosctl/src/ui/act/node-configurations.ts';
import { Trials } from '../../../cli/talosctl/src/ui/act/trials.ts';
import { HiddenValues } from '../../../cli/talosctl/src/ui/domain/hidden-values.ts';
import type { Trial } from '../../../cli/talosctl/src/ui/protocol/calls.ts';
import { FakeCluster } from './fake-cluster.ts';
import { sampleConfig } from './fake-nodes.ts';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

const scope = new AsyncDisposableStack();
let node: NodeClient;
let store: MemoryState;
/** What happens at the node after it was sent a configuration with the mode. */
let afterSending: (mode: Mode, text: string) => Promise<void> | void = () => {};

const pointer = pointerTo(machineConfigs, 'v1alpha1');
const withHost = (name: string) => sampleConfig.replace('hostname: first', `hostname: ${name}`);
/** What the node has now. */
async function has(text: string): Promise<void> {
  const known = await store.get(pointer);
  if (known.spec !== text) await store.update({ ...known, spec: text }, { owner: 'test.Controller' });
}

before(async () => {
  store = await openNodeStore(
    [machineConfigs],
    [{ ...pointer, spec: sampleConfig, annotations: yamlSpecAnnotation } as never],
  );
  const cluster = scope.use(await FakeCluster.create());
  const gateway = await cluster.gateway({
    ...healthyCluster,
    ...stateHandlers([machineConfigs], () => store),
    '/machine.MachineService/ApplyConfiguration': async (call) => {
      const { data, mode } = ApplyConfigurationRequest.decode(call.request);
      try {
        await afterSending(mode, data.toString());
      } catch (error) {
        return call.fail(14, (error as Error).message);
      }
      reply(call, ApplyConfigurationResponse, { messages: [{ mode, modeDetails: '', warnings: [] }] });
    },
  });
  const path = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01'] });
  const config = parseTalosconfig(await readFile(path, 'utf8'));
  const client = scope.use(openTalosClient({ context: config.contexts.get('test') }));
  [node] = client.targets as [NodeClient];
});
after(() => scope.disposeAsync());

/** A trial of a minute that the node has begun, on a clock of its own. */
async function beginTrial() {
  await has(sampleConfig);
  afterSending = (_mode, text) => has(text);
  const timers = new FakeTimers();
  const configurations = new NodeConfigurations(new HiddenValues(randomBytes(32)));
  const states: string[] = [];
  let last: Trial | undefined;
  const onChange = ([trial]: readonly Trial[]) => {
    if (trial !== undefined && trial.state !== last?.state) states.push(trial.state);
    last = trial;
  };
  const trials = new Trials({ configurations, timers, onChange });
  const { signal } = new AbortController();
  const { documents } = await configurations.read(node, signal);
  const { text, version: over } = configurations.shown(documents);
  const edited = text.replace('hostname: first', 'hostname: second');
  const { tried } = await trials.start(node, { text: edited, over, seconds: 60 }, signal);
  return {
    ...{ timers, trials, states, tried, signal },
    /** Lets virtual time pass, and the node answer each look. */
    async pass(seconds: number) {
      const untilMs = timers.now() + seconds * 1000;
      do {
        // Without a timer a look is on its way, or the trial is over.
        while (timers.nextMs === undefined && !isOver(last?.state)) await sleep(2);
      } while (timers.step(untilMs));
    },
    [Symbol.dispose]: () => trials[Symbol.dispose](),
  };
}

const isOver = (state?: Trial['state']) =>
  state !== undefined && !['tried', 'keeping', 'reverting'].includes(state);

test('a trial ends as the node says: it goes back when its time is over', async () => {
  using trial = await beginTrial();
  assert.match(trial.tried.text, /hostname: second/);
  await trial.pass(59);
  assert.deepEqual(trial.states, ['tried']);
  await trial.pass(2);
  await has(sampleConfig);
  await trial.pass(5);
  assert.deepEqual(trial.states, ['tried', 'reverting', 'reverted']);
});

test('a trial is over when the node goes back while it is asked to keep the configuration', async () => {
  using trial = await beginTrial();
  await trial.pass(58);
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  afterSending = async () => {
    await has(sampleConfig);
    arrived.resolve();
    await answer.promise;
    throw new Error('the node was busy');
  };
  const keeping = assert.rejects(trial.trials.keep(node, trial.signal), { message: /the node was busy/ });
  await arrived.promise;
  await trial.pass(10);
  answer.resolve();
  await keeping;
  await trial.pass(5);
  assert.deepEqual(trial.states.slice(-1), ['reverted']);
});

test('a trial is over when the node goes back before its time, as after a reboot', async () => {
  using trial = await beginTrial();
  await trial.pass(20);
  await has(sampleConfig);
  await trial.pass(6);
  assert.deepEqual(trial.states, ['tried', 'reverted']);
});

test('a trial during which somebody else changes the configuration has another end, and is not kept', async () => {
  using trial = await beginTrial();
  await trial.pass(12);
  await has(withHost('third'));
  const sent: Mode[] = [];
  afterSending = (mode) => void sent.push(mode);
  await assert.rejects(trial.trials.keep(node, trial.signal), {
    kind: 'failed-precondition',
    message: 'node01 has another configuration than the tried one: nothing was sent',
  });
  await trial.pass(6);
  assert.deepEqual([trial.states.at(-1), sent], ['replaced', []]);
});

test('the time of a trial passes evenly when somebody sets the clock', async () => {
  using trial = await beginTrial();
  const left = () => trial.trials.all[0]?.leftMs;
  trial.timers.stepClock(-3_600_000);
  assert.equal(left(), 60_000);
  await trial.pass(20);
  assert.equal(left(), 40_000);
  trial.timers.stepClock(7_200_000);
  assert.equal(left(), 40_000);
  await trial.pass(101);
  assert.deepEqual(trial.states, ['tried', 'reverting', 'unknown']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { addFinalizers, pointerTo, putResource, removeFinalizers } from '@nodewright/state';
import {
  acquireConfigSpecs,
  acquireConfigStatuses,
  machineConfigs,
  maintenanceServiceRequests,
} from '@nodewright/state/kinds';
import { decodeConfiguration } from '../../base/domain/machine-configuration.ts';
import { worlds } from '../../base/domain/world.ts';
import type { NodeEvent } from '../../life/domain/node-event.ts';
import { examineConfiguration } from '../domain/examine-configuration.ts';
import type { ConfigurationSource } from '../domain/search-configuration.ts';
import { createAcquireController } from './acquire.ts';
import { ConfigurationKeeper } from './configuration-keeper.ts';

const partial = 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n';
const complete = '# mine\nmachine:\n  type: worker\n';
const damaged = 'machine:\n  typ: worker\n';

const request = pointerTo(maintenanceServiceRequests);

/** A node that is asked for its configuration, with what each source gives at the moment. */
async function openNode(given: Record<string, string | Error | undefined>) {
  const events: NodeEvent[] = [];
  const rig = openTestRuntime();
  const { state } = rig;
  const keeper = new ConfigurationKeeper(state, rig.timers, { async store() {} });
  const sources: ConfigurationSource[] = Object.keys(given).map((name) => ({
    name,
    isStored: name === 'STATE',
    async load() {
      const text = given[name];
      if (text instanceof Error) throw text;
      return text;
    },
  }));
  const examiner = {
    examine: async (request: { text: string }) =>
      examineConfiguration({ ...request, world: worlds.process }, () => ['take care']),
  };
  rig.runtime.register(
    createAcquireController({
      sources,
      keeper,
      examiner,
      events: { publish: (event) => events.push(event) },
    }),
  );
  await rig.settled();
  assert.equal(events.length, 0);
  await putResource(state, { ...pointerTo(acquireConfigSpecs), spec: {} });
  await rig.settled();
  return {
    ...rig,
    given,
    keeper,
    /** What was told since the last time. */
    told: () => events.splice(0).map((event) => (event.kind === 'task' ? `task ${event.action}` : event)),
    async look() {
      const configs = await state.list(machineConfigs);
      return {
        configs: Object.fromEntries(configs.map(({ metadata, spec }) => [metadata.id, spec])),
        owners: [...new Set(configs.map(({ metadata }) => metadata.owner))],
        isMaintenance: (await state.list(maintenanceServiceRequests)).length > 0,
        isAnswered: (await state.list(acquireConfigStatuses)).length > 0,
      };
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

test('config.AcquireController loads what is stored, and says so', async () => {
  await using node = await openNode({ STATE: complete, platform: partial });
  assert.deepEqual(await node.look(), {
    configs: { v1alpha1: complete, persistent: complete },
    owners: [''],
    isMaintenance: false,
    isAnswered: true,
  });
  assert.deepEqual(node.told(), []);
  const warnings = node.logged.filter(({ level }) => level === 'warn');
  assert.deepEqual(
    warnings.map(({ source, warning }) => ({ source, warning })),
    [{ source: 'STATE', warning: 'take care' }],
  );
});

test('config.AcquireController stores a complete configuration of the platform, not the part before it', async () => {
  await using node = await openNode({ STATE: undefined, embedded: partial, platform: complete });
  const { configs, isAnswered } = await node.look();
  assert.deepEqual([configs, isAnswered], [{ v1alpha1: complete, persistent: complete }, true]);
});

test('config.AcquireController puts a node without a configuration in maintenance until one is applied', async () => {
  await using node = await openNode({ STATE: undefined, platform: partial });
  assert.deepEqual(await node.look(), {
    configs: { v1alpha1: partial },
    owners: [''],
    isMaintenance: true,
    isAnswered: false,
  });
  assert.deepEqual(node.told(), ['task start']);

  await node.keeper.activate(decodeConfiguration(partial.replace('hostname: a', 'hostname: b')));
  await node.settled();
  assert.deepEqual([(await node.look()).isMaintenance, node.told()], [true, []]);

  await node.keeper.activate(decodeConfiguration(complete));
  await node.settled();
  const { isMaintenance, isAnswered } = await node.look();
  assert.deepEqual([isMaintenance, isAnswered, node.told()], [false, true, ['task stop']]);
});

test('config.AcquireController waits for whoever serves maintenance before it says that it has ended', async () => {
  await using node = await openNode({ STATE: undefined });
  await addFinalizers(node.state, request, 'runtime.APIServiceConfigController');
  node.told();
  await node.keeper.activate(decodeConfiguration(complete));
  await node.settled();
  assert.equal((await node.state.get(request)).metadata.phase, 'tearingDown');
  assert.deepEqual([(await node.look()).isAnswered, node.told()], [false, []]);

  await removeFinalizers(node.state, request, 'runtime.APIServiceConfigController');
  await node.settled();
  const { isMaintenance, isAnswered } = await node.look();
  assert.deepEqual([isMaintenance, isAnswered, node.told()], [false, true, ['task stop']]);
});

test('config.AcquireController leaves a stored part to calls', async () => {
  await using node = await openNode({ STATE: partial, platform: complete });
  const { configs, isMaintenance } = await node.look();
  assert.deepEqual([configs, isMaintenance], [{ v1alpha1: partial, persistent: partial }, true]);
});

test('config.AcquireController tells of a damaged file, is in maintenance and tries again', async () => {
  await using node = await openNode({ STATE: damaged, platform: complete });
  const loadError = (events: unknown[]) =>
    events.map((event) =>
      typeof event === 'object' && event !== null && 'error' in event ? String(event.error) : event,
    );
  const [error, ...others] = loadError(node.told());
  assert.match(String(error), /^machine configuration of STATE: .*line 2/s);
  assert.deepEqual(others, ['task start']);
  const { configs, isMaintenance } = await node.look();
  assert.deepEqual([configs, isMaintenance], [{}, true]);
  assert.equal(node.logged.filter(({ msg }) => msg === 'no machine configuration').length, 1);

  await node.advance(500);
  assert.equal(node.told().length, 1);
  node.given.STATE = complete;
  await node.advance(750);
  assert.deepEqual(node.told(), ['task stop']);
  assert.deepEqual((await node.look()).configs, { v1alpha1: complete, persistent: complete });
});

test('config.AcquireController takes what a call applied instead of a damaged file', async () => {
  await using node = await openNode({ STATE: damaged });
  node.told();
  const mine = complete.replace('worker', 'controlplane');
  await node.keeper.activate(decodeConfiguration(mine));
  await node.settled();
  assert.deepEqual(node.told(), ['task stop']);
  await node.advance(120_000);
  assert.deepEqual([(await node.look()).configs, node.told()], [{ v1alpha1: mine }, []]);
});

test('config.AcquireController tries again when a source cannot be asked', async () => {
  await using node = await openNode({ STATE: undefined, platform: new Fault('unavailable', 'no answer') });
  const failure = { kind: 'config-load-error', error: 'machine configuration of platform: no answer' };
  assert.deepEqual([node.told(), (await node.look()).isMaintenance], [[failure], false]);
  await node.advance(500);
  assert.deepEqual(node.told(), [failure]);
  node.given.platform = complete;
  await node.advance(750);
  assert.deepEqual([node.told(), (await node.look()).isAnswered], [[], true]);
});

test('config.AcquireController leaves alone what a call is about to change', async () => {
  await using node = await openNode({ STATE: damaged });
  const claim = node.keeper.claim();
  node.given.STATE = complete;
  await node.advance(2_000);
  assert.deepEqual((await node.look()).configs, {});
  claim?.[Symbol.dispose]();
  await node.advance(2_000);
  assert.deepEqual((await node.look()).configs, { v1alpha1: complete, persistent: complete });
});

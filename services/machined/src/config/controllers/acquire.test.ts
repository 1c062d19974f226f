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

/**
 * Starts the controller and requests a configuration. `given` is what each source returns; a test may change
 * it.
 */
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
    /** The events published since the last call. */
    publishedEvents: () =>
      events.splice(0).map((event) => (event.kind === 'task' ? `task ${event.action}` : event)),
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

test('config.AcquireController loads the stored configuration and logs its warnings', async () => {
  await using node = await openNode({ STATE: complete, platform: partial });
  assert.deepEqual(await node.look(), {
    configs: { v1alpha1: complete, persistent: complete },
    owners: [''],
    isMaintenance: false,
    isAnswered: true,
  });
  assert.deepEqual(node.publishedEvents(), []);
  const warnings = node.logged.filter(({ level }) => level === 'warn');
  assert.deepEqual(
    warnings.map(({ source, warning }) => ({ source, warning })),
    [{ source: 'STATE', warning: 'take care' }],
  );
});

test('config.AcquireController stores a complete platform configuration, but not the partial one found before it', async () => {
  await using node = await openNode({ STATE: undefined, embedded: partial, platform: complete });
  const { configs, isAnswered } = await node.look();
  assert.deepEqual([configs, isAnswered], [{ v1alpha1: complete, persistent: complete }, true]);
});

test('config.AcquireController keeps a node in maintenance until a complete configuration is applied', async () => {
  await using node = await openNode({ STATE: undefined, platform: partial });
  assert.deepEqual(await node.look(), {
    configs: { v1alpha1: partial },
    owners: [''],
    isMaintenance: true,
    isAnswered: false,
  });
  assert.deepEqual(node.publishedEvents(), ['task start']);

  await node.keeper.activate(decodeConfiguration(partial.replace('hostname: a', 'hostname: b')));
  await node.settled();
  assert.deepEqual([(await node.look()).isMaintenance, node.publishedEvents()], [true, []]);

  await node.keeper.activate(decodeConfiguration(complete));
  await node.settled();
  const { isMaintenance, isAnswered } = await node.look();
  assert.deepEqual([isMaintenance, isAnswered, node.publishedEvents()], [false, true, ['task stop']]);
});

test('config.AcquireController publishes the end of maintenance only after the finalizers of its request are gone', async () => {
  await using node = await openNode({ STATE: undefined });
  await addFinalizers(node.state, request, 'runtime.APIServiceConfigController');
  node.publishedEvents();
  await node.keeper.activate(decodeConfiguration(complete));
  await node.settled();
  assert.equal((await node.state.get(request)).metadata.phase, 'tearingDown');
  assert.deepEqual([(await node.look()).isAnswered, node.publishedEvents()], [false, []]);

  await removeFinalizers(node.state, request, 'runtime.APIServiceConfigController');
  await node.settled();
  const { isMaintenance, isAnswered } = await node.look();
  assert.deepEqual([isMaintenance, isAnswered, node.publishedEvents()], [false, true, ['task stop']]);
});

test('config.AcquireController stops the search at a stored partial configuration and waits for a call', async () => {
  await using node = await openNode({ STATE: partial, platform: complete });
  const { configs, isMaintenance } = await node.look();
  assert.deepEqual([configs, isMaintenance], [{ v1alpha1: partial, persistent: partial }, true]);
});

test('config.AcquireController reports a damaged file, enters maintenance and retries', async () => {
  await using node = await openNode({ STATE: damaged, platform: complete });
  const loadError = (events: unknown[]) =>
    events.map((event) =>
      typeof event === 'object' && event !== null && 'error' in event ? String(event.error) : event,
    );
  const [error, ...others] = loadError(node.publishedEvents());
  assert.match(String(error), /^machine configuration of STATE: .*line 2/s);
  assert.deepEqual(others, ['task start']);
  const { configs, isMaintenance } = await node.look();
  assert.deepEqual([configs, isMaintenance], [{}, true]);
  assert.equal(node.logged.filter(({ msg }) => msg === 'no machine configuration').length, 1);

  await node.advance(500);
  assert.equal(node.publishedEvents().length, 1);
  node.given.STATE = complete;
  await node.advance(750);
  assert.deepEqual(node.publishedEvents(), ['task stop']);
  assert.deepEqual((await node.look()).configs, { v1alpha1: complete, persistent: complete });
});

test('config.AcquireController uses a configuration applied by a call in place of a damaged file', async () => {
  await using node = await openNode({ STATE: damaged });
  node.publishedEvents();
  const mine = complete.replace('worker', 'controlplane');
  await node.keeper.activate(decodeConfiguration(mine));
  await node.settled();
  assert.deepEqual(node.publishedEvents(), ['task stop']);
  await node.advance(120_000);
  assert.deepEqual([(await node.look()).configs, node.publishedEvents()], [{ v1alpha1: mine }, []]);
});

test('config.AcquireController retries when a source is unavailable', async () => {
  await using node = await openNode({ STATE: undefined, platform: new Fault('unavailable', 'no answer') });
  const failure = { kind: 'config-load-error', error: 'machine configuration of platform: no answer' };
  assert.deepEqual([node.publishedEvents(), (await node.look()).isMaintenance], [[failure], false]);
  await node.advance(500);
  assert.deepEqual(node.publishedEvents(), [failure]);
  node.given.platform = complete;
  await node.advance(750);
  assert.deepEqual([node.publishedEvents(), (await node.look()).isAnswered], [[], true]);
});

test('config.AcquireController does not search while a call is changing the configuration', async () => {
  await using node = await openNode({ STATE: damaged });
  const claim = node.keeper.claim();
  node.given.STATE = complete;
  await node.advance(2_000);
  assert.deepEqual((await node.look()).configs, {});
  claim?.[Symbol.dispose]();
  await node.advance(2_000);
  assert.deepEqual((await node.look()).configs, { v1alpha1: complete, persistent: complete });
});

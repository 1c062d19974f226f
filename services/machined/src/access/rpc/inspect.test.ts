import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destroyReady, exclusive, shared, strong, weak } from '@nodewright/controllers';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { createInspect } from './inspect.ts';

const [links, specs, logs, internals] = ['Links', 'Specs', 'Logs', 'Internals'].map((type) => ({
  namespace: 'network',
  type,
}));

test('ControllerRuntimeDependencies returns every edge of registered kinds with its wire number', async () => {
  assert.ok(links && specs && logs && internals);
  const controller = {
    name: 'network.Specs',
    inputs: [weak(logs), strong(links, 'eth0'), destroyReady(specs), weak(internals)],
    outputs: [shared(links), exclusive(specs)],
    reconcile: async () => {},
  };
  await using rig = openTestRuntime({ controllers: [controller] });
  const service = createInspect(
    () => rig.runtime.graph(),
    (type) => type !== 'Internals',
  );
  const { messages } = await service.controllerRuntimeDependencies({}, {} as never);
  const rows = messages?.flatMap(({ metadata, edges }) =>
    (edges ?? []).map((edge) => [metadata, ...Object.values(edge)]),
  );
  assert.deepEqual(rows, [
    [undefined, 'network.Specs', 0, '', 'Specs', ''],
    [undefined, 'network.Specs', 3, '', 'Links', ''],
    [undefined, 'network.Specs', 1, 'network', 'Links', 'eth0'],
    [undefined, 'network.Specs', 2, 'network', 'Logs', ''],
    [undefined, 'network.Specs', 4, 'network', 'Specs', ''],
  ]);
});

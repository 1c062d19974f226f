// talosctl support of two nodes, of which one has logged a secret of the other, which answers later.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import { type NewResource, pointerTo } from '@nodewright/state';
import { machineConfigs, members, yamlSpecAnnotation } from '@nodewright/state/kinds';
import { strFromU8, unzipSync } from 'fflate';
import type { FakeHandler } from './fake-gateway.ts';
import { healthyCluster } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const secret = 'k3y-of-the-other-node-91';
const kinds = [machineConfigs, members];
const configured = (value: string): NewResource => ({
  ...pointerTo(machineConfigs, 'v1alpha1'),
  spec: `version: v1alpha1\nmachine:\n    type: worker\n    token: ${value}\n`,
  annotations: yamlSpecAnnotation,
});
const stores = new Map([
  ['early', await openNodeStore(kinds, [configured('aaaaaa.bbbbbbbbbbbbbbbb')])],
  ['late', await openNodeStore(kinds, [configured(secret)])],
]);
const handlers = stateHandlers(kinds, (node = '') => stores.get(node) as never);
const getPath = '/cosi.resource.State/Get';

/** Resolves when a file of the first node is read, which must not happen before. */
const early = Promise.withResolvers<void>();
/** How long the other node takes for its configuration otherwise, in milliseconds. */
const lateMs = 1_000;

const leakingLog: FakeHandler = (call) => {
  if (call.node === 'early') early.resolve();
  const text = `joined with ${secret} now\n`;
  call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(text) })).finish());
  call.end();
};

const suite = openSuite({
  ...healthyCluster,
  ...handlers,
  [getPath]: async (call) => {
    const later = Promise.withResolvers<void>();
    const timer = setTimeout(later.resolve, lateMs);
    if (call.node === 'late') await Promise.race([early.promise, later.promise]);
    clearTimeout(timer);
    handlers[getPath]?.(call);
  },
  '/machine.MachineService/Logs': leakingLog,
  '/machine.MachineService/Dmesg': leakingLog,
});

test('support writes no file before the configurations of all nodes are known', async () => {
  const cwd = mkdtempSync(join(suite.cluster.folder, 'run-'));
  const { exitCode, stderr } = await suite.talosctl.run(['support', '-O', 'a.zip', '-n', 'early,late'], {
    cwd,
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  assert.equal(exitCode, 0, stderr);
  const files = Object.entries(unzipSync(readFileSync(join(cwd, 'a.zip'))));
  assert.match(
    strFromU8(files.find(([name]) => name === 'early/dmesg.log')?.[1] ?? Buffer.of()),
    /joined with/,
  );
  const leaks = files.filter(([, bytes]) => strFromU8(bytes).includes(secret)).map(([name]) => name);
  assert.deepEqual(leaks, []);
});

// The released client upgrades simulated machines, and rolls them back: it must take our answers for those of a machine. Real machines
// are upgraded by it in tests/boot.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { FakeCluster } from '../contract/talosctl/fake-cluster.ts';
import { pinned, UpgradedNodes } from '../contract/talosctl/upgraded-nodes.ts';
import { type ClientResult, runClient } from './run-client.ts';

const image = 'registry.example/installer:v1.14.1';
const nodes = new UpgradedNodes();
const { calls } = nodes;
const scope = new AsyncDisposableStack();
let talosctl: (...words: string[]) => Promise<ClientResult>;

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'upstream-upgrade-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const cluster = scope.use(await FakeCluster.create());
  const gateway = scope.use(await cluster.gateway(nodes.handlers));
  const talosconfig = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01'] });
  talosctl = (...words) => runClient(words, { talosconfig, folder, timeoutMs: 60_000 });
});
after(() => scope.disposeAsync());
beforeEach(() => nodes.reset());

const textOf = ({ exitCode, stdout, stderr }: ClientResult) => `exit code ${exitCode}\n${stdout}\n${stderr}`;

test('upgrade --drain=false pulls, writes the slot, and restarts, which it follows by the boot id', async () => {
  const machine = nodes.reboots();
  const result = await talosctl('upgrade', '-i', image, '--drain=false', '--progress', 'plain');
  assert.equal(result.exitCode, 0, textOf(result));
  assert.deepEqual(calls, [
    'node01 ImageService/Pull',
    'node01 LifecycleService/Upgrade',
    'node01 MachineService/Reboot',
  ]);
  assert.match(result.stderr, new RegExp(`pulled image ${pinned}`));
  assert.match(result.stderr, /upgrade completed/);
  assert.equal(machine.bootId, 2);
});

test('upgrade --no-reboot fails with the exit code of the node, and its reason', async () => {
  nodes.behaviour = { ...nodes.behaviour, exitCode: 4, lines: ['error: the artefact has v1.13.0'] };
  const result = await talosctl('upgrade', '-i', image, '--no-reboot', '--progress', 'plain');
  assert.equal(result.exitCode, 1, textOf(result));
  assert.match(result.stderr, /error: the artefact has v1\.13\.0/);
  assert.match(result.stderr, /upgrade failed with exit code 4/);
  assert.deepEqual(calls, ['node01 ImageService/Pull', 'node01 LifecycleService/Upgrade']);
});

for (const stage of [false, true])
  test(`upgrade --legacy${stage ? ' --stage' : ''} is one call, which it follows by the boot id`, async () => {
    const machine = nodes.reboots();
    const words = ['upgrade', '-i', image, '--legacy', '--drain=false', '--progress', 'plain'];
    const result = await talosctl(...words, ...(stage ? ['--stage'] : []));
    assert.equal(result.exitCode, 0, textOf(result));
    assert.deepEqual(calls, ['node01 MachineService/Upgrade']);
    assert.deepEqual(machine.requests, [{ image, preserve: false, stage, force: false, rebootMode: 0 }]);
    assert.equal(machine.bootId, 2);
  });

test('rollback is one call, and its refusal is reported', async () => {
  const result = await talosctl('rollback');
  assert.equal(result.exitCode, 0, textOf(result));
  assert.deepEqual(calls, ['node01 MachineService/Rollback']);
  nodes.behaviour = { ...nodes.behaviour, rollbackProblem: 'there is no system before this one' };
  const refused = await talosctl('rollback');
  assert.equal(refused.exitCode, 1, textOf(refused));
  assert.match(refused.stderr, /there is no system before this one/);
});

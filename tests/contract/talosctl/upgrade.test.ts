// talosctl upgrade and rollback: what they ask of nodes and in which order, what they print, and how they end.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import type { LifecycleServiceUpgradeRequest } from '@nodewright/contract/gen/machine/lifecycle.ts';
import { openSuite } from './suite.ts';
import { type NodeBehaviour, pinned, UpgradedNodes } from './upgraded-nodes.ts';

const image = 'registry.example/installer:v1.14.1';
const nodes = new UpgradedNodes();
const { calls, requests } = nodes;
const suite = openSuite(nodes.handlers);
beforeEach(() => nodes.reset());
const behave = (change: Partial<NodeBehaviour>) => {
  nodes.behaviour = { ...nodes.behaviour, ...change };
};

const upgrade = (...words: string[]) => suite.run('-n', 'node01', 'upgrade', '-i', image, '--yes', ...words);

test('upgrade pulls, writes the slot, and restarts, which it follows by the boot id', async () => {
  const machine = nodes.reboots();
  const { stdout, stderr, exitCode } = await upgrade('--reboot-mode', 'powercycle');
  assert.equal(exitCode, 0, stderr);
  assert.equal(stdout, '');
  assert.deepEqual(calls, [
    'node01 ImageService/Pull',
    'node01 LifecycleService/Upgrade',
    'node01 MachineService/Reboot',
  ]);
  const containerd = { driver: 1, namespace: 1 };
  assert.deepEqual(requests.slice(0, 2), [
    { containerd, imageRef: image },
    { containerd, source: { imageName: pinned } },
  ]);
  assert.deepEqual(machine.requests, [{ mode: 1 }]);
  assert.equal(machine.bootId, 2);
  const lines = stderr.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, 5), [
    `node01: pulled image ${pinned}`,
    'node01: writes slot B',
    'node01: the next start tries slot B',
    'node01: upgrade completed',
    '"node01": runs no kubelet: nothing to drain',
  ]);
  assert.deepEqual(lines.slice(-2), ['"node01": post check passed', '"node01": done']);
});

test('upgrade says before its question what it will do, and does nothing in a dry run', async () => {
  const { stdout, exitCode } = await upgrade('--dry-run', '--without-extensions', '--allow-downgrade');
  assert.equal(exitCode, 0);
  for (const line of [
    `${image} is written into the slot that does not run; the system that runs stays as it is`,
    'the next start tries it, and goes back by itself when the machine does not become ready',
    'it may be older than the version that runs',
    'it starts without the set of extensions that runs',
    'nothing was done',
  ])
    assert.ok(stdout.includes(line), `${line} is not in:\n${stdout}`);
  assert.deepEqual(calls, []);
});

test('--no-reboot shows no effect of a restart, in its text and in its document', async () => {
  const { stdout, stderr, exitCode } = await upgrade('--dry-run', '--no-reboot');
  assert.equal(exitCode, 0, stderr);
  assert.match(stdout, /node01\W* gets a new system beside the one that runs, and restarts nothing\n/);
  assert.doesNotMatch(stdout, /reboots|etcd/);
  const json = await upgrade('--dry-run', '--no-reboot', '-o', 'json');
  const { action, nodes: effects, etcd, losesVote } = JSON.parse(json.stdout);
  assert.deepEqual([action, effects[0].stops, etcd, losesVote], ['upgrade', [], null, false]);
  const restarting = JSON.parse((await upgrade('--dry-run', '-o', 'json')).stdout);
  assert.equal(restarting.action, 'reboot');
});

test('--no-reboot ends when the slot is written, and a document has the artefact', async () => {
  const { stdout, stderr, exitCode } = await upgrade('--no-reboot', '-o', 'json');
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [{ node: 'node01', image: pinned, prepared: true }]);
  assert.deepEqual(calls, ['node01 ImageService/Pull', 'node01 LifecycleService/Upgrade']);
});

for (const [code, reason] of [
  [1, ''],
  [2, ' (invalid input)'],
  [3, ' (unsupported operation)'],
  [4, ' (environment error)'],
  [5, ' (dependency error)'],
  [6, ' (I/O error)'],
  [7, ' (installation error)'],
  [99, ''],
] as const)
  test(`an exit code of ${code} fails the command, and no node restarts`, async () => {
    nodes.failing.set('node02', code);
    const { stdout, stderr, exitCode } = await suite.run(
      ...['-n', 'node01,node02', 'upgrade', '-i', image, '--yes', '-o', 'json'],
    );
    assert.equal(exitCode, 1);
    const message = `upgrade failed with exit code ${code}${reason}`;
    assert.ok(stderr.includes(`error from node node02: rpc error: code = Aborted desc = ${message}`), stderr);
    assert.deepEqual(JSON.parse(stdout), [
      { node: 'node01', image: pinned, prepared: true },
      { node: 'node02', error: { code: 'Aborted', message } },
    ]);
    assert.ok(!calls.some((call) => call.endsWith('/Reboot')));
  });

test('a stream without an exit code is no success', async () => {
  behave({ exitCode: undefined });
  const { stderr, exitCode } = await upgrade();
  assert.equal(exitCode, 1);
  assert.match(stderr, /code = DataLoss desc = the node ended the stream without an exit code/);
});

test('a node without the image service pulls by the older call', async () => {
  behave({ hasImageService: false });
  const { stderr, exitCode } = await upgrade('--no-reboot');
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(calls, ['node01 MachineService/ImagePull', 'node01 LifecycleService/Upgrade']);
  assert.deepEqual((requests[1] as LifecycleServiceUpgradeRequest).source, { imageName: image });
});

test('the flags of this project use its own call, with the set of extensions', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  t.after(() => rm(folder, { recursive: true }));
  const set = join(folder, 'tools.set');
  await writeFile(set, Buffer.alloc(100_000, 7));
  const { stderr, exitCode } = await upgrade('--no-reboot', '--allow-downgrade', '--extension-set', set);
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(calls, ['node01 ImageService/Pull', 'node01 UpgradeService/Upgrade']);
  const [, bytes = 0] = requests as number[];
  assert.ok(bytes > 100_000, `${bytes} bytes arrived`);
  assert.match(stderr, /node01: upgrade completed/);
});

test('a node of upstream cannot take them, and the command says what to do', async () => {
  behave({ hasOwnService: false });
  const { stderr, exitCode } = await upgrade('--without-extensions');
  assert.equal(exitCode, 1);
  assert.match(stderr, /code = Unimplemented desc = this node has no call for --allow-downgrade/);
  assert.ok(!calls.some((call) => call.endsWith('/Reboot')));
});

test('--legacy is one call, which is followed like a reboot', async () => {
  const machine = nodes.reboots();
  const { stderr, exitCode } = await upgrade('--legacy', '--preserve', '--force');
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(calls, ['node01 MachineService/Upgrade']);
  assert.deepEqual(machine.requests, [{ image, preserve: true, stage: false, force: true, rebootMode: 0 }]);
  assert.equal(machine.bootId, 2);
});

test('--legacy --stage --wait=false returns with the actor', async () => {
  const { stdout, stderr, exitCode } = await upgrade(
    ...['--legacy', '--stage', '--wait=false', '--drain=false', '-o', 'json', '--reboot-mode=powercycle'],
  );
  assert.equal(exitCode, 0, stderr);
  const [request] = nodes.machine().requests;
  assert.deepEqual(request, { image, preserve: false, stage: true, force: false, rebootMode: 1 });
  const [{ node, actorId }] = JSON.parse(stdout);
  assert.deepEqual([node, /^actor-/.test(actorId)], ['node01', true]);
});

test('nodes without LifecycleService get the older call, after a notice', async () => {
  behave({ tag: 'v1.12.4' });
  nodes.reboots();
  const { stderr, exitCode } = await upgrade();
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(calls, ['node01 MachineService/Upgrade']);
  assert.match(stderr, /NOTICE: not all nodes have the new call/);
  const downgrade = await upgrade('--allow-downgrade');
  assert.equal(downgrade.exitCode, 1);
  assert.match(downgrade.stderr, /--legacy has no --allow-downgrade/);
});

for (const [words, message] of [
  [['--without-extensions', '--extension-set', '/etc/hostname'], /exclude each other/],
  [['--extension-set', '/nonexistent.set'], /nonexistent\.set/],
  [['--legacy', '--allow-downgrade'], /--legacy has no --allow-downgrade/],
  [['--legacy', '--reboot-mode', 'force'], /invalid reboot mode/],
  [['--legacy', '--no-reboot'], /always restarts the node/],
  [['--reboot-mode', 'sideways'], /must be default, powercycle or force/],
  [['--namespace', 'other'], /must be cri, system or inmem/],
] as const)
  test(`upgrade ${words.join(' ')} is refused before any node is changed`, async () => {
    const { stderr, exitCode } = await upgrade(...words);
    assert.equal(exitCode, 1);
    assert.match(stderr, message);
    assert.deepEqual(calls, []);
  });

test('upgrade without an image is refused', async () => {
  const { stderr, exitCode } = await suite.run('-n', 'node01', 'upgrade');
  assert.equal(exitCode, 1);
  assert.match(stderr, /flag --image is required/);
});

test('rollback asks every node, and says what happens', async () => {
  const { stderr, exitCode } = await suite.run('-n', 'node01,node02', 'rollback', '--yes');
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(calls.sort(), ['node01 MachineService/Rollback', 'node02 MachineService/Rollback']);
  assert.match(stderr, /node01 restarts with the system before/);
});

test('rollback reports the reason of a refusal', async () => {
  behave({ rollbackProblem: 'there is no system before this one' });
  const { stderr, exitCode } = await suite.run('-n', 'node01', 'rollback');
  assert.equal(exitCode, 1);
  assert.match(stderr, /code = FailedPrecondition desc = there is no system before this one/);
});

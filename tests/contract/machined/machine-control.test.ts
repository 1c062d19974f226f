// Reboot, Shutdown and Reset on a node: the exit of machined, the events on the way, and the state of the
// node afterwards.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeExitCodes } from '@nodewright/contract';
import {
  type Event,
  MachineServiceDefinition,
  type ResetRequest,
  SequenceEvent,
  TaskEvent,
} from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import { endLeftDaemons } from './harness/end-left-daemons.ts';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';

const machine = (node: NodeUnderTest, role = 'os:admin') => node.client(MachineServiceDefinition, role);
const wish = (change: Partial<ResetRequest> = {}): ResetRequest => ({
  ...{ graceful: true, reboot: false, mode: 0, systemPartitionsToWipe: [], userDisksToWipe: [] },
  ...change,
});

/** The node's events from this moment on, with their actors, until the stream ends. */
async function listen(node: NodeUnderTest) {
  const events: Event[] = [];
  const ended = (async () => {
    for await (const event of machine(node).events({})) events.push(event);
  })().catch(() => {});
  await eventually(() => events.length > 0, { what: 'hello' });
  return {
    ended,
    /** Sequences and tasks, with the actor. */
    lines: () =>
      events.flatMap(({ data, actorId }) => {
        if (data?.typeUrl.endsWith('.SequenceEvent')) {
          const { sequence, action, error } = SequenceEvent.decode(data.value);
          return [[actorId, `${sequence} ${action} ${error?.message ?? ''}`.trim()]];
        }
        if (data?.typeUrl.endsWith('.TaskEvent'))
          return [[actorId, `${TaskEvent.decode(data.value).task} ${TaskEvent.decode(data.value).action}`]];
        return [];
      }),
  };
}

/** A folder with a control plane that has never been started. It outlives the machined that runs on it. */
async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'machined-end-'));
  const address = ownAddress();
  const state = join(path, 'root', 'system', 'state');
  const config = nodeConfig({
    ...{ secrets: await clusterSecrets(), type: 'controlplane', controlPlaneAddress: address },
    timeServer: '127.0.0.1:1',
  });
  await mkdir(state, { recursive: true });
  await writeFile(join(state, 'config.yaml'), config, { mode: 0o600 });
  return {
    ...{ path, address, state, config },
    start: () => startNode({ folder: path, address }),
    /** Whether the node still has its original configuration. */
    isOld: () =>
      existsSync(join(state, 'config.yaml')) && readFileSync(join(state, 'config.yaml'), 'utf8') === config,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Waits for the event that ends the node's boot. */
async function hasBooted(node: NodeUnderTest): Promise<void> {
  const isOver = () =>
    node.machined.lines().some(({ sequence, action }) => sequence === 'boot' && action === 'stop');
  await eventually(isOver, { what: 'the end of the boot', explain: () => node.machined.stdout() });
}

/** A node that has booted. */
async function runningNode(): Promise<NodeUnderTest> {
  const node = await startNode();
  await hasBooted(node);
  return node;
}

async function actorOf(reply: Promise<{ messages: readonly { actorId: string }[] }>): Promise<string> {
  const { messages } = await reply;
  assert.equal(messages.length, 1);
  const [{ actorId } = { actorId: '' }] = messages;
  assert.match(actorId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  return actorId;
}

test('a reboot reports its sequence with the id of the call, stops the services, and exits with its own code', async () => {
  await using node = await runningNode();
  const { ended, lines } = await listen(node);
  const actor = await actorOf(machine(node, 'os:operator').reboot({ mode: 0 }));
  await ended;
  assert.deepEqual(
    lines(),
    [
      'reboot 1',
      ...['stopAllServices 0', 'stopAllServices 1', 'reboot 0', 'reboot 1'],
      'reboot 2',
      'reboot 0 sequence failed: unix.Reboot(1234567)',
    ].map((line) => [actor, line]),
  );
  assert.deepEqual(await node.machined.exited, { code: nodeExitCodes.reboot, signal: null });
  const stopped = node.machined.lines().filter(({ state }) => state === 'Finished');
  assert.deepEqual(
    new Set(stopped.map(({ service }) => service)),
    new Set(['apid', 'trustd', 'udevd-bridge', 'machined']),
  );
});

test('a forced reboot stops nothing gracefully and leaves nothing running', async () => {
  await using node = await runningNode();
  const started = /started with PID (\d+)/.exec(node.machined.stdout());
  await node.order('apid', 'ignore-sigterm');
  const { ended, lines } = await listen(node);
  await machine(node).reboot({ mode: 2 });
  await ended;
  assert.ok(!lines().some(([, line]) => line?.startsWith('stopAllServices')));
  assert.deepEqual(await node.machined.exited, { code: nodeExitCodes.reboot, signal: null });
  await eventually(() => !existsSync(`/proc/${started?.[1]}`), { what: 'the end of apid' });
});

test('a shutdown exits with the code of a machine that is off, and a second call changes nothing', async () => {
  await using node = await runningNode();
  await machine(node).shutdown({ force: false });
  await machine(node)
    .shutdown({ force: false })
    .catch(() => {});
  assert.deepEqual(await node.machined.exited, { code: nodeExitCodes.powerOff, signal: null });
});

test('an invalid call is refused with its value before anything is done', async () => {
  await using node = await runningNode();
  const refused = (call: Promise<unknown>, code: number, details: string) =>
    assert.rejects(call, { code, details });
  await refused(machine(node).reboot({ mode: 7 as 0 }), 3, 'unknown mode of a reboot: 7');
  await refused(machine(node).reset(wish({ mode: 7 as 0 })), 3, 'unknown wipe mode: 7');
  await refused(
    machine(node).reset(wish({ userDisksToWipe: ['/dev/sda'] })),
    2,
    "reset user disk failed: device /dev/sda wasn't found",
  );
  await refused(machine(node, 'os:operator').reset(wish()), 7, 'not authorized');
  assert.equal((await node.service('apid')).state, 'Running');
});

test('in maintenance a reset is refused, and a reboot is not', async () => {
  await using node = await startNode({ configuration: 'none' });
  await eventually(() => isInMaintenance(node), { what: 'maintenance' });
  const { ended, lines } = await listen(node);
  await actorOf(machine(node).reset(wish()));
  await eventually(() => lines().length > 0, { what: 'refusal' });
  assert.deepEqual(lines(), [['', 'reset 0 sequence not started: locked']]);
  const actor = await actorOf(machine(node).reboot({ mode: 0 }));
  await ended;
  const told = lines().slice(1);
  const takenOver = told.findIndex(([by]) => by === actor);
  assert.ok(takenOver > 0);
  assert.match(told[takenOver - 1]?.[1] ?? '', /^initialize 0 sequence failed: /);
  assert.deepEqual(await node.machined.exited, { code: nodeExitCodes.reboot, signal: null });
});

const isInMaintenance = (node: NodeUnderTest) =>
  node.machined.stdout().includes('maintenance: waiting for a machine configuration');

test('a reset wipes the node, which is in maintenance after its next start', async () => {
  await using folder = await openFolder();
  await using node = await folder.start();
  await hasBooted(node);
  await machine(node).reset(wish({ reboot: true }));
  assert.deepEqual(await node.machined.exited, { code: nodeExitCodes.reboot, signal: null });
  assert.deepEqual(readdirSync(folder.state), ['.wipe']);

  await using again = await folder.start();
  await eventually(() => isInMaintenance(again), {
    what: 'maintenance',
    explain: () => again.machined.stdout(),
  });
  assert.ok(!readdirSync(folder.state).some((name) => name === 'config.yaml' || name === '.wipe'));
});

test('a reset of one volume keeps the others', async () => {
  await using folder = await openFolder();
  await using node = await folder.start();
  await hasBooted(node);
  const data = join(node.root, 'var', 'lib', 'kept');
  await mkdir(dirname(data), { recursive: true });
  await writeFile(data, 'data');
  await machine(node).reset(wish({ systemPartitionsToWipe: [{ label: 'EPHEMERAL', wipe: true }] }));
  assert.deepEqual(await node.machined.exited, { code: nodeExitCodes.powerOff, signal: null });
  assert.ok(folder.isOld());
  assert.equal(existsSync(dirname(data)), false);
});

test('a reset that is killed at any moment leaves the old node or a wiped one', {
  timeout: 180_000,
}, async () => {
  let outcomes = '';
  // The sequence begins a second after the call.
  for (const delayMs of [0, 1040, 1400, 10_000]) {
    await using folder = await openFolder();
    await using node = await folder.start();
    await hasBooted(node);
    await machine(node).reset(wish());
    await Promise.race([sleep(delayMs), node.machined.exited]);
    node.machined.signal('SIGKILL');
    await node.machined.exited;
    endLeftDaemons(folder.path);

    await using again = await folder.start();
    const boots = () => again.machined.stdout().includes('"sequence":"boot"');
    await eventually(() => isInMaintenance(again) || boots(), { what: 'a node that came back' });
    assert.equal(isInMaintenance(again), !folder.isOld());
    outcomes += folder.isOld() ? 'o' : 'w';
  }
  // Which step each kill hits depends on how busy the machine is; the last kill is always too late.
  assert.match(outcomes, /w$/);
});

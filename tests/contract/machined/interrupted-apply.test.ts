// A node is killed while it applies configurations: after its restart it has those that it acknowledged.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import {
  MachineServiceDefinition,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { loadConfiguration } from '@nodewright/machine-config';
import { codecsOf } from '@nodewright/state';
import { machineConfigs, nodeKinds } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';

const kills = 10;
/** Longest time from the first answer to the kill, in milliseconds; several writes happen in it. */
const longestRunMs = 150;
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const codecs = codecsOf(nodeKinds);

/** Repeatable numbers in [0, 1) for a seed. Source: mulberry32, public domain. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const numberIn = (text: string) => Number(/^# number (\d+)$/m.exec(text)?.[1] ?? 0);

/** The numbers of the configurations of the node, by id; empty when it has not read them yet. */
async function configurationsOf(node: NodeUnderTest): Promise<readonly [string, number][]> {
  const state = createStateClient({ client: node.client(StateDefinition, 'os:admin'), codecs });
  const configs = await state.list(machineConfigs);
  return configs.map(({ metadata, spec }) => [metadata.id, numberIn(spec)]);
}

test(`acknowledged configurations survive a kill at any moment (SEED=${seed})`, async (context) => {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'machined-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const address = ownAddress();
  const stateFolder = join(folder, 'root', 'system', 'state');
  const path = join(stateFolder, 'config.yaml');
  const base = nodeConfig({
    secrets: await clusterSecrets(),
    type: 'controlplane',
    controlPlaneAddress: address,
    timeServer: '127.0.0.1:1',
  });
  await mkdir(stateFolder, { recursive: true });
  await writeFile(path, base, { mode: 0o600 });
  const random = randomFrom(seed);
  let sent = 0;
  let acknowledged = 0;
  let unanswered = 0;

  /**
   * Applies one configuration after another until the node is gone. They are long, so that a write takes
   * time.
   */
  async function applyOn(node: NodeUnderTest): Promise<void> {
    const machine = node.client(MachineServiceDefinition, 'os:admin');
    const filler = `# ${'filler '.repeat(20)}\n`.repeat(300);
    for (;;) {
      sent += 1;
      const data = Buffer.from(`# number ${sent}\n${base}${filler}`);
      const request = { data, mode: Mode.NO_REBOOT };
      const fault = await machine.applyConfiguration(request).then(() => undefined, faultFrom);
      if (fault !== undefined) {
        assert.ok(['unavailable', 'cancelled'].includes(fault.kind), `${fault.kind}: ${fault.message}`);
        return;
      }
      acknowledged = sent;
    }
  }

  for (let kill = 0; kill <= kills; kill += 1) {
    const onDisk = numberIn(await readFile(path, 'utf8'));
    await using node = await startNode({ folder, address, services: 'external' });
    const where = `SEED=${seed}, kill ${kill}: ${acknowledged} acknowledged, ${sent} sent, ${onDisk} on disk`;
    assert.ok(onDisk >= acknowledged && onDisk <= sent, where);
    await eventually(async () => (await configurationsOf(node)).length === 2, { what: 'configuration' });
    const expected = ['persistent', 'v1alpha1'].map((id) => [id, onDisk]);
    assert.deepEqual(await configurationsOf(node), expected, where);
    if (kill === kills) break;

    const before = acknowledged;
    const applying = applyOn(node);
    await eventually(() => acknowledged > before, { what: 'first acknowledged one' });
    await sleep(random() * longestRunMs);
    node.machined.signal('SIGKILL');
    await node.machined.exited;
    await applying;
    const text = await readFile(path, 'utf8');
    assert.doesNotThrow(() => loadConfiguration(text), where);
    if (numberIn(text) === acknowledged) unanswered += 1;
  }
  context.diagnostic(`${sent} sent; ${unanswered} of ${kills} kills came before the disk had the last one`);
  // The next write overwrites an interrupted one, so leftovers do not accumulate.
  const drafts = (await readdir(stateFolder)).filter((name) => /^config\.yaml.+/.test(name));
  assert.ok(drafts.length <= 1, drafts.join(' '));
});

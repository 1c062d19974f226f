// Machine configurations of a running node: applied, tried, staged, and what survives a crash.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import {
  ConfigLoadErrorEvent,
  MachineServiceDefinition,
  ApplyConfigurationRequest_Mode as Mode,
  TaskEvent,
} from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { codecsOf, pointerTo, type State } from '@nodewright/state';
import {
  machineConfigs,
  machineStatuses,
  machineTypes,
  maintenanceServiceRequests,
  metaKeys,
  nodeKinds,
} from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import { endLeftDaemons } from './harness/end-left-daemons.ts';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';

const address = ownAddress();
const generated = nodeConfig({
  secrets: await clusterSecrets(),
  type: 'controlplane',
  controlPlaneAddress: address,
  timeServer: '127.0.0.1:1',
});
/** A comment makes each one distinct, and the node keeps comments. */
const called = (name: string) => `# ${name}\n${generated}`;

const stateOf = (node: NodeUnderTest): State =>
  createStateClient({ client: node.client(StateDefinition, 'os:admin'), codecs: codecsOf(nodeKinds) });

/** The first line of each configuration resource, and of the file. */
async function configurationsOf(node: NodeUnderTest): Promise<Record<string, string | undefined>> {
  const configs = await stateOf(node).list(machineConfigs);
  const file = await readFile(join(node.root, 'system', 'state', 'config.yaml'), 'utf8').catch(() => '');
  const firstLine = (text: string) => text.split('\n')[0];
  return {
    ...Object.fromEntries(configs.map(({ metadata, spec }) => [metadata.id, firstLine(spec)])),
    file: firstLine(file),
  };
}

const all = (name: string) => ({ v1alpha1: `# ${name}`, persistent: `# ${name}`, file: `# ${name}` });

async function apply(
  node: NodeUnderTest,
  text: string,
  mode: Mode = Mode.AUTO,
  more = {},
  role = 'os:admin',
) {
  const client = node.client(MachineServiceDefinition, role);
  try {
    const { messages } = await client.applyConfiguration({ data: Buffer.from(text), mode, ...more });
    return messages[0]?.modeDetails;
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return `${kind}: ${message}`;
  }
}

/** The events about configurations so far: tasks of maintenance and errors. */
async function told(node: NodeUnderTest): Promise<string[]> {
  const lines: string[] = [];
  const stop = new AbortController();
  const client = node.client(MachineServiceDefinition, 'os:reader');
  const timer = setTimeout(() => stop.abort(), 1000);
  try {
    for await (const { data } of client.events({ tailEvents: -1 }, { signal: stop.signal })) {
      const bytes = data?.value ?? new Uint8Array();
      if (data?.typeUrl.endsWith('.TaskEvent')) {
        const { task, action } = TaskEvent.decode(bytes);
        if (task === 'runningMaintenance') lines.push(`${task} ${action}`);
      }
      if (data?.typeUrl.endsWith('.ConfigLoadErrorEvent'))
        lines.push(ConfigLoadErrorEvent.decode(bytes).error);
    }
  } catch {
    // Ended by the timer.
  }
  clearTimeout(timer);
  return lines;
}

/** A node answers calls before it has read its configuration. */
async function reaches(node: NodeUnderTest, stage: 'maintenance' | 'running'): Promise<void> {
  const isThere = async () => {
    const [status] = await stateOf(node).list(machineStatuses);
    return status?.spec.stage === stage;
  };
  await eventually(isThere, { what: `stage ${stage}`, explain: () => node.machined.stdout() });
}

const node = await startNode({ address, configuration: { text: called('first') } });
after(() => node[Symbol.asyncDispose]());
await reaches(node, 'running');

test('a node that starts with a configuration applies and stores it', async () => {
  assert.deepEqual(await configurationsOf(node), all('first'));
  assert.equal((await stateOf(node).get(pointerTo(machineTypes, 'machine-type'))).spec, 'controlplane');
});

test('an applied configuration is in force, stored, and byte for byte as it was sent', async () => {
  assert.equal(await apply(node, called('second')), 'Applied configuration without a reboot');
  assert.deepEqual(await configurationsOf(node), all('second'));
  const { spec } = await stateOf(node).get(pointerTo(machineConfigs, 'v1alpha1'));
  assert.equal(spec, called('second'));
});

test('a tried configuration is reverted after its time', async () => {
  const tryModeTimeout = { seconds: 0n, nanos: 500_000_000 };
  assert.match(
    String(await apply(node, called('tried'), Mode.TRY, { tryModeTimeout })),
    /reverted back in 500ms$/,
  );
  assert.deepEqual(await configurationsOf(node), { ...all('second'), v1alpha1: '# tried' });
  await eventually(async () => (await configurationsOf(node)).v1alpha1 === '# second', { what: 'rollback' });
});

test('an invalid configuration is refused with its reasons, and nothing changes', async () => {
  assert.match(String(await apply(node, 'machine:\n  typ: worker\n')), /^invalid-argument: .*line 2/s);
  const wrong = generated.replace(/^ {4}type: controlplane$/m, '    type: laptop');
  assert.match(
    String(await apply(node, wrong)),
    /^invalid-argument: 2 errors occurred:\n\t\* v1alpha1\.Config: .*machine\.type must be/s,
  );
  assert.match(
    String(await apply(node, generated, Mode.REBOOT)),
    /^unimplemented: the REBOOT mode is not supported/,
  );
  assert.equal(await apply(node, generated, Mode.AUTO, {}, 'os:reader'), 'permission-denied: not authorized');
  assert.deepEqual(await configurationsOf(node), all('second'));
});

test('a dry run describes what would change', async () => {
  const changed = called('third').replace('127.0.0.1:1', '127.0.0.1:2');
  const summary = String(await apply(node, changed, Mode.AUTO, { dryRun: true }));
  assert.match(summary, /^Dry run summary:\nApplied configuration without a reboot \(skipped in dry-run\)\./);
  assert.match(summary, /\n- +- 127\.0\.0\.1:1\n\+ +- 127\.0\.0\.1:2\n/);
  assert.deepEqual(await configurationsOf(node), all('second'));
});

test('a killed node keeps what it acknowledged: staged but not tried configurations, and META', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'machined-'));
  try {
    const own = ownAddress();
    await startNode({ folder, address: own, configuration: 'none' }).then((early) =>
      early[Symbol.asyncDispose](),
    );
    const next = async (body: (node: NodeUnderTest) => Promise<void>) => {
      await using running = await startNode({ folder, address: own });
      await body(running);
      running.machined.signal('SIGKILL');
      await running.machined.exited;
      // The next daemons need the files and ports that the old ones still hold.
      endLeftDaemons(folder);
    };
    await next(async (first) => {
      await reaches(first, 'maintenance');
      assert.equal(
        await apply(first, called('first'), Mode.REBOOT, {}, 'os:reader'),
        'Applied configuration without a reboot',
      );
    });
    await next(async (second) => {
      await reaches(second, 'running');
      assert.deepEqual(await configurationsOf(second), all('first'));
      await apply(second, called('staged'), Mode.STAGED);
      await apply(second, called('tried'), Mode.TRY);
      assert.deepEqual(await configurationsOf(second), { ...all('staged'), v1alpha1: '# tried' });
      const admin = second.client(MachineServiceDefinition, 'os:admin');
      await admin.metaWrite({ key: 10, value: Buffer.from('kept') });
    });
    await next(async (third) => {
      await reaches(third, 'running');
      assert.deepEqual(await configurationsOf(third), all('staged'));
      assert.equal((await stateOf(third).get(pointerTo(metaKeys, '0x0a'))).spec.value, 'kept');
      const writer = third.client(MachineServiceDefinition, 'os:meta:writer');
      await writer.metaDelete({ key: 10 });
      await assert.rejects(writer.metaDelete({ key: 10 }), { code: 5, details: 'meta key not found' });
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a node without a configuration is in maintenance until one is applied', async () => {
  await using fresh = await startNode({ configuration: 'none' });
  await reaches(fresh, 'maintenance');
  assert.deepEqual(await told(fresh), ['runningMaintenance 0']);
  assert.equal((await stateOf(fresh).list(maintenanceServiceRequests)).length, 1);
  assert.match(
    String(await apply(fresh, 'machine: {}\n', Mode.AUTO, {}, 'os:reader')),
    /^invalid-argument: /,
  );

  assert.equal(
    await apply(fresh, called('mine'), Mode.AUTO, {}, 'os:reader'),
    'Applied configuration without a reboot',
  );
  await reaches(fresh, 'running');
  assert.deepEqual(await configurationsOf(fresh), all('mine'));
  assert.deepEqual(await told(fresh), ['runningMaintenance 0', 'runningMaintenance 1']);
  assert.equal((await stateOf(fresh).list(maintenanceServiceRequests)).length, 0);
  assert.equal(
    await apply(fresh, called('again'), Mode.AUTO, {}, 'os:reader'),
    'permission-denied: not authorized',
  );
});

test('a node whose configuration is damaged reports that, and accepts another one', async () => {
  await using broken = await startNode({ configuration: { text: `${generated.slice(0, 200)}\n  : [` } });
  await reaches(broken, 'maintenance');
  const [error, ...others] = await told(broken);
  assert.match(String(error), /^machine configuration of STATE: .*line \d+/s);
  assert.ok(others.includes('runningMaintenance 0'));
  assert.match(await broken.log('machined'), /no machine configuration/);

  assert.equal(
    await apply(broken, called('mended'), Mode.AUTO, {}, 'os:reader'),
    'Applied configuration without a reboot',
  );
  await reaches(broken, 'running');
  assert.deepEqual(await configurationsOf(broken), all('mended'));
});

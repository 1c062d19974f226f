// A configuration that cuts a machine off comes back by itself when it was only tried: the API is called over the cable that loses its
// address.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { metadataKeys, nodePaths, roles } from '@nodewright/contract';
import {
  MachineServiceDefinition,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { generateConfig, generateSecrets } from '@nodewright/machine-config';
import { encodePrivateKey, generateCertificateAuthority, generateKey } from '@nodewright/pki';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { end, type Lan, type LanMachine, openLan, type Running, reasonToSkip } from './open-lan.ts';

const skip = reasonToSkip;
const timeoutMs = 40_000;
const port = 50_000;
const address = '10.99.0.70/24';
const tryMs = 4000;

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
let lan: Lan;
let machine: LanMachine;
let running: Running;
let base: string;
let configFile: string;

const link = (...lines: string[]) =>
  ['---', 'apiVersion: v1alpha1', 'kind: LinkConfig', ...lines, ''].join('\n');
const withAddress = (of: string) => `${base}${link('name: eth0', `addresses: [{ address: ${of} }]`)}`;
const explain = () => running.text().slice(-4000);

before(async () => {
  if (skip) return;
  lan = await openLan(scope);
  machine = await lan.addMachine('tried', '02:00:00:00:00:21');
  base = await plainConfiguration();
  configFile = join(machine.root, nodePaths.machineConfig);
  mkdirSync(dirname(configFile), { recursive: true });
  writeFileSync(configFile, withAddress(address), { mode: 0o600 });
  running = start();
});

const start = () =>
  machine.startProgram('configured-machine.ts', { MACHINE_ROOT: machine.root, MACHINE_PORT: String(port) });
const hasAddress = () => machine.addresses().includes(address);
const hasStarted = () => eventually(hasAddress, { what: 'the address', timeoutMs, explain });

/** A client beside the bridge, whose calls go over the cable. */
async function openClient(name: string) {
  const path = join(machine.root, `${name}.sock`);
  const relayed = lan.startProgram('relay.ts', {
    RELAY: JSON.stringify({ listen: { path }, connect: { host: address.replace('/24', ''), port } }),
  });
  await eventually(() => relayed.text().includes('relay listens'), {
    what: 'the relay',
    explain: relayed.text,
  });
  const channel = scope.use(openUnixChannel(path, { maxReconnectPauseMs: 200 }));
  const client = createRpcClient(MachineServiceDefinition, channel, {
    telemetry: noTelemetry,
    metadata: { [metadataKeys.role]: roles.admin },
  });
  const apply = (text: string, mode: Mode, dryRun = false) =>
    client.applyConfiguration(
      {
        ...{ data: Buffer.from(text), mode, dryRun },
        tryModeTimeout: { seconds: BigInt(tryMs / 1000), nanos: 0 },
      },
      { signal: AbortSignal.timeout(5000) },
    );
  return {
    apply,
    /** Whether a call is answered within a second or two. */
    async answers(): Promise<boolean> {
      const call = client.applyConfiguration(
        { data: Buffer.from(withAddress(address)), mode: Mode.TRY, dryRun: true, tryModeTimeout: undefined },
        { signal: AbortSignal.timeout(2000) },
      );
      return call.then(
        () => true,
        () => false,
      );
    },
  };
}

test('a machine says which addresses it would lose, and a dry run takes none away', { skip }, async () => {
  await hasStarted();
  const client = await openClient('asking');
  await eventually(client.answers, { what: 'an answer', timeoutMs, explain });
  const lostWith = async (text: string) =>
    (await client.apply(text, Mode.TRY, true)).messages[0]?.lostAddresses;
  assert.deepEqual(await lostWith(withAddress('10.99.0.71/24')), ['10.99.0.70']);
  assert.deepEqual(await lostWith(base), ['10.99.0.70']);
  assert.deepEqual(
    await lostWith(
      withAddress('10.99.0.71/24, address: 10.99.0.70/24').replace(', address', ' }, { address'),
    ),
    [],
  );
  assert.ok(hasAddress());
});

test('a tried configuration that takes the address away comes back by itself', { skip }, async () => {
  await hasStarted();
  const client = await openClient('first');
  await eventually(client.answers, { what: 'an answer', timeoutMs, explain });
  const startMs = performance.now();
  // Its answer may be lost with the address.
  client.apply(withAddress('10.99.0.71/24'), Mode.TRY).catch(() => {});
  await eventually(() => !hasAddress(), { what: 'the end of the address', timeoutMs, explain });
  assert.deepEqual(machine.addresses(), ['10.99.0.71/24']);
  assert.equal(await client.answers(), false, 'a call is answered although the machine is cut off');
  await eventually(hasAddress, { what: 'the address again', timeoutMs, explain });
  assert.ok(performance.now() - startMs >= tryMs, 'it came back before its time');
  await eventually(client.answers, { what: 'an answer again', timeoutMs, explain });
  assert.deepEqual(machine.addresses(), [address]);
  assert.equal(readFileSync(configFile, 'utf8'), withAddress(address));
});

test('a link that is only tried down, or without its document, comes back as well', { skip }, async () => {
  await hasStarted();
  const client = await openClient('second');
  for (const tried of [
    `${base}${link('name: eth0', 'up: false', `addresses: [{ address: ${address} }]`)}`,
    `${base}${link('name: eth7')}`,
  ]) {
    await eventually(client.answers, { what: 'an answer', timeoutMs, explain });
    client.apply(tried, Mode.TRY).catch(() => {});
    await eventually(async () => !(await client.answers()), { what: 'the cut', timeoutMs, explain });
    await eventually(client.answers, { what: 'an answer again', timeoutMs, explain });
    assert.ok(hasAddress());
  }
});

test('a machine that ends while it tries a configuration starts with the one before', { skip }, async () => {
  await hasStarted();
  const client = await openClient('third');
  await eventually(client.answers, { what: 'an answer', timeoutMs, explain });
  client.apply(withAddress('10.99.0.71/24'), Mode.TRY).catch(() => {});
  await eventually(() => !hasAddress(), { what: 'the end of the address', timeoutMs, explain });
  await end(running.child);
  // As after a reboot of the machine.
  machine.ip('addr', 'flush', 'dev', 'eth0');
  machine.ip('link', 'set', 'eth0', 'down');
  rmSync(join(machine.root, nodePaths.machinedSocket), { force: true });
  running = start();
  await hasStarted();
  await eventually(client.answers, { what: 'an answer again', timeoutMs, explain });
  assert.deepEqual(machine.addresses(), [address]);
});

/** A worker's, without any setting of its network. */
async function plainConfiguration(): Promise<string> {
  const secrets = await generateSecrets({
    now: new Date(),
    keys: {
      certificateAuthority: generateCertificateAuthority,
      serviceAccountKey: async () => ({
        key: encodePrivateKey((await generateKey('ecdsa-p256')).privateKey),
      }),
    },
  });
  return generateConfig({
    secrets,
    type: 'worker',
    clusterName: 'trial',
    endpoint: 'https://10.99.0.1:6443',
  });
}

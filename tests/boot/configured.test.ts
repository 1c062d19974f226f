// What a machine with a configuration refuses and withstands. One machine for all, as each start takes a minute.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestNetwork } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { type Machine, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const { talosctl, succeeds, generate, configures, trusted, machineDisk, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

/** Beside other work an emulated machine takes minutes to start its daemons. */
const startMs = 900_000;

test('a machine refuses protections that nothing provides, keeps SIGUSR1 from its daemons, and restarts although its disk hangs', {
  skip,
}, async (t) => {
  await generate('demo');
  await using machine = await startMachine({
    ...{ disk: machineDisk('machine.raw'), keepsDisk: true, restarts: true },
    boot: { kind: 'kernel', words: [guestNetwork] },
  });
  await succeeds(['-n', machine.api, 'version', '--insecure'], startMs);
  await configures(machine, 'controlplane.yaml');
  assert.match(await succeeds([...trusted(machine), 'version'], startMs), /Enabled: +RBAC/);
  const hasLogs = async () => (await talosctl(...trusted(machine), 'ls', '/var/log')).exitCode === 0;
  await eventually(hasLogs, { what: 'logs on EPHEMERAL', timeoutMs: startMs });

  await t.test('protections are refused, and the configuration stays', () => refusesProtections(machine));
  await t.test('SIGUSR1 reaches no handler of a daemon', () => opensNoDebugger(machine));
  for (const mode of ['default', 'force'])
    await t.test(`the machine restarts by --mode ${mode} although its disk takes no writes`, () =>
      restartsWithoutDisk(machine, mode),
    );
});

/** Documents and patches that promise what no machine does, and what the refusal names. */
const protections: Readonly<Record<string, string>> = {
  'v1alpha1 machine.systemDiskEncryption':
    'machine:\n  systemDiskEncryption:\n    state:\n      provider: luks2\n      keys: [{nodeID: {}, slot: 0}]\n',
  'VolumeConfig "EPHEMERAL" encryption':
    'apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nencryption:\n  provider: luks2\n  keys: [{nodeID: {}, slot: 0}]\n',
  'NetworkDefaultActionConfig ingress':
    'apiVersion: v1alpha1\nkind: NetworkDefaultActionConfig\ningress: block\n',
  'NetworkRuleConfig "api"':
    'apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: api\nportSelector: {ports: [50000], protocol: tcp}\ningress: [{subnet: 192.0.2.0/24}]\n',
  ImageVerificationConfig:
    'apiVersion: v1alpha1\nkind: ImageVerificationConfig\nrules: [{image: "registry.example.com/*", deny: true}]\n',
};
/** Nothing acts on it, and nobody relies on it for protection. */
const inert = 'apiVersion: v1alpha1\nkind: TCPProbeConfig\nname: probe\nendpoint: 203.0.113.1:443\n';

async function refusesProtections(machine: Machine): Promise<void> {
  const shown = () => succeeds([...trusted(machine), 'get', 'machineconfig', '-o', 'yaml']);
  const before = await shown();
  const applied = async (text: string) => {
    writeFileSync(join(workplace.folder, 'patch.yaml'), text);
    const patched = await talosctl(
      ...['machineconfig', 'patch', 'controlplane.yaml', '-p', '@patch.yaml', '-o', 'patched.yaml'],
    );
    assert.equal(patched.exitCode, 0, patched.output);
    return talosctl(...trusted(machine), 'apply-config', '--yes', '-f', 'patched.yaml');
  };
  for (const [name, text] of Object.entries(protections)) {
    const { exitCode, output } = await applied(text);
    assert.equal(exitCode, 1, `${name}: ${output}`);
    assert.match(output, /this node would not protect what the configuration says it does/);
    assert.ok(output.includes(`* ${name}`), output);
    assert.equal(await shown(), before, name);
  }
  const { exitCode, output } = await applied(inert);
  assert.equal(exitCode, 0, output);
  assert.match(output, /TCPProbeConfig "probe": this node does not act on this document/);
  assert.match(await shown(), /TCPProbeConfig/);
}

/** Bit of SIGUSR1 in the masks of /proc. */
const debuggerSignal = 1n << 9n;

/** Without its flag Node.js catches SIGUSR1 and opens a debugger; every program of root on the machine can send it. */
async function opensNoDebugger(machine: Machine): Promise<void> {
  const rows = (await succeeds([...trusted(machine), 'processes'])).split('\n');
  const daemons = rows.filter((row) => /\/node /.test(row));
  // trustd may wait for the time still.
  for (const name of ['machined', 'apid', 'udevd-bridge'])
    assert.ok(
      daemons.some((row) => row.includes(`/${name}.cjs`)),
      rows.join('\n'),
    );
  for (const row of daemons) {
    const pid = row.trim().split(/\s+/)[1];
    const status = await succeeds([...trusted(machine), 'read', `/proc/${pid}/status`]);
    const caught = /^SigCgt:\s*([0-9a-f]{16})$/m.exec(status)?.[1] ?? assert.fail(status);
    assert.equal(BigInt(`0x${caught}`) & debuggerSignal, 0n, `process ${pid} catches SIGUSR1`);
  }
}

/** Writes wait for hours from now on; reads are answered, or no program could be loaded. */
const hang = 'block_set_io_throttle virtio0 0 0 1 0 0 0';
const answer = 'block_set_io_throttle virtio0 0 0 0 0 0 0';

async function restartsWithoutDisk(machine: Machine, mode: string): Promise<void> {
  const seen = machine.console().length;
  const since = () => machine.console().slice(seen);
  const shows = (pattern: RegExp, timeoutMs: number) =>
    eventually(() => pattern.test(since()), {
      ...{ what: `${pattern} on the console`, timeoutMs },
      explain: () => since().slice(-4000),
    });
  await machine.order(hang);
  try {
    await succeeds([...trusted(machine), 'reboot', '--mode', mode, '--wait=false'], 60_000);
    await shows(/a disk has not answered for 30 s: the machine ends all the same/, startMs);
    await shows(/Starting new kernel|reboot: Restarting system/, startMs);
  } finally {
    await machine.order(answer);
  }
  await shows(/\[initramfs\] switching to the root file system/, startMs);
  assert.match(await succeeds([...trusted(machine), 'version'], startMs), /Enabled: +RBAC/);
}

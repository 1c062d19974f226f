// A machine that is used, restarted and reset, for ten minutes of emulation.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { guestNetwork } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { type Machine, noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';

const { talosctl, succeeds, generate, configures, trusted, machineDisk, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

test('a machine keeps its configuration and its data on its disk until it is reset', { skip }, async () => {
  await generate('demo');
  const disk = machineDisk('machine.raw');
  const start = (words: readonly string[] = []) =>
    startMachine({ disk, keepsDisk: true, boot: { kind: 'kernel', words: [guestNetwork, ...words] } });
  const identity = async (machine: Machine) =>
    /nodeId: *(\S+)/.exec(await succeeds([...trusted(machine), 'get', 'identity', '-o', 'yaml']))?.[1];
  let first: string | undefined;
  {
    await using machine = await start();
    await succeeds(['-n', machine.api, 'version', '--insecure']);
    await configures(machine, 'controlplane.yaml');
    assert.match(await succeeds([...trusted(machine), 'version']), /Enabled: +RBAC/);
    await eventually(async () => (await talosctl(...trusted(machine), 'ls', '/var/log')).exitCode === 0, {
      what: 'logs on EPHEMERAL',
      timeoutMs: 60_000,
    });
    const mounts = await succeeds([...trusted(machine), 'read', '/proc/mounts']);
    assert.match(mounts, /^\/dev\/dm-0 \/ squashfs ro,nosuid,nodev/m);
    assert.match(mounts, /^tmpfs \/run tmpfs rw,nosuid,nodev,noexec/m);
    assert.match(mounts, /^\/dev\/vda6 \/system\/state xfs rw,nosuid,nodev,noexec,relatime/m);
    assert.match(mounts, /^\/dev\/vda7 \/var xfs rw,relatime.*prjquota/m);
    assert.match(
      await succeeds([...trusted(machine), 'get', 'mounts']),
      /EPHEMERAL +1 +\/dev\/vda7 +\/var +xfs/,
    );
    assert.match(await succeeds([...trusted(machine), 'processes']), /^10\.0\.2\.15 +1 .*machined\.cjs/m);
    assert.match(
      await succeeds([...trusted(machine), 'get', 'discoveredvolumes']),
      /vda7 +\d+ +partition +2\.\d GB +xfs +EPHEMERAL +EPHEMERAL/,
    );
    assert.equal(
      (await succeeds([...trusted(machine), 'read', '/proc/sys/kernel/kptr_restrict'])).trim(),
      '2',
    );
    await succeeds([...trusted(machine), 'meta', 'write', '0x0c', 'kept']);
    first = await identity(machine);
    assert.ok(first);
    await hasNamedDevices(machine);

    await succeeds([...trusted(machine), 'reboot', '--wait=false']);
    await machine.shows(/kexec_core: Starting new kernel/, 60_000);
    await machine.shows(/(switching to the root file system.*){2}/s);
    assert.equal(await identity(machine), first);
    assert.match(await succeeds([...trusted(machine), 'get', 'meta']), /0x0c +1 +kept/);
    assert.doesNotMatch(machine.console(), /Restarting system/);

    await succeeds([...trusted(machine), 'reboot', '--mode', 'powercycle', '--wait=false']);
    await machine.shows(/reboot: Restarting system/, 60_000);
    await machine.isOff();
    assert.equal(machine.console().match(/Starting new kernel/g)?.length, 1);
    assert.match(machine.console(), /XFS \(vda7\): Unmounting/);
  }
  {
    await using machine = await start();
    assert.equal(await identity(machine), first);
    assert.match(await succeeds([...trusted(machine), 'get', 'meta']), /0x0c +1 +kept/);
    assert.match(machine.console(), /XFS \(vda6\): Ending clean mount/);
    // The power fails here.
  }
  {
    await using machine = await start();
    assert.equal(await identity(machine), first);
    assert.match(machine.console(), /XFS \(vda6\): Ending recovery/);
    await succeeds([
      ...[...trusted(machine), 'reset', '--reboot', '--graceful=false', '--wait=false'],
      ...['--system-labels-to-wipe', 'STATE,EPHEMERAL'],
    ]);
    await machine.shows(/reboot: Restarting system/, 60_000);
    await machine.isOff();
  }
  {
    await using machine = await start();
    await machine.shows(/maintenance: waiting for a machine configuration/);
    await configures(machine, 'controlplane.yaml');
    const second = await identity(machine);
    assert.ok(second !== undefined && second !== first, 'the machine is another one');
    assert.match(await succeeds([...trusted(machine), 'get', 'meta']), /0x0c +1 +kept/);
    await succeeds([...trusted(machine), 'reset', '--graceful=false', '--wait=false']);
    await machine.shows(/reboot: Power down/, 60_000);
    await machine.isOff();
  }
  await using machine = await start(['panic=1']);
  await machine.shows(/no disk has a partition labelled BOOT/);
});

/** udevd has named the disk, and applies a rule of the configuration at once. */
async function hasNamedDevices(machine: Machine): Promise<void> {
  const { shows } = workplace;
  await shows([...trusted(machine), 'service', 'udevd'], /STATE +Running\n.*HEALTH +OK/);
  await shows([...trusted(machine), 'get', 'devicesstatus'], /devices +\d+ +true/);
  const disk = [...trusted(machine), 'get', 'disks', 'vda', '-o', 'yaml'];
  assert.match(await shows(disk, /symlinks:/), /- \/dev\/disk\/by-path\/pci-0000:\S+/);
  assert.match(
    await succeeds([...trusted(machine), 'ls', '/dev/disk/by-partlabel']),
    /EPHEMERAL.*META.*STATE/s,
  );
  const minimum = ['read', '/sys/fs/cgroup/system/udevd-bridge/memory.min'];
  assert.equal((await succeeds([...trusted(machine), ...minimum])).trim(), String(16 << 20));
  const rules = ['KERNEL=="vda", SUBSYSTEM=="block", SYMLINK+="disk/by-role/system"'];
  const patch = JSON.stringify({ machine: { udev: { rules } } });
  await succeeds([...trusted(machine), 'patch', 'machineconfig', '--patch', patch]);
  await shows(disk, /- \/dev\/disk\/by-role\/system/);
}

// The disk image on an emulated machine, from the firmware to the API and back to power off.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { guestNetwork } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { changedDisk } from './changed-disk.ts';
import { type Machine, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const { talosctl, succeeds, generate, configures, trusted, machineDisk, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

const keys = {
  bios: { what: 'its power button switches it off', signal: 'SIGTERM', end: /reboot: Power down/ },
  uefi: { what: 'Ctrl-Alt-Del restarts it', signal: 'SIGINT', end: /reboot: Restarting system/ },
} as const;
for (const kind of ['bios', 'uefi'] as const) {
  test(`the disk image boots by ${kind.toUpperCase()} to maintenance, again after it got STATE, and ${keys[kind].what}`, {
    skip,
  }, async () => {
    const disk = machineDisk(`${kind}.raw`);
    for (const round of ['first', 'second']) {
      await using machine = await startMachine({ disk, keepsDisk: true, boot: { kind } });
      await machine.shows(/\[initramfs\] switching to the root file system/);
      await machine.shows(/"msg":"daemon serves"/);
      await machine.shows(/maintenance: waiting for a machine configuration/);
      assert.match(machine.console(), /"pid":1,/);
      assert.match(machine.console(), kind === 'bios' ? /GRUB/ : /EFI stub/);
      assert.match(machine.console(), /XFS \(vda6\): Ending clean mount/, round);
      await (kind === 'bios' ? machine.pressPower() : machine.pressControlAltDelete());
      await machine.shows(new RegExp(`"reason":"${keys[kind].signal}","msg":"daemon stops"`));
      await machine.shows(keys[kind].end);
      await machine.isOff();
    }
  });
}

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

test('a machine ends when one byte of its root file system was changed', { skip }, async () => {
  // The first block of the squashfs with content, which every boot reads: its superblock.
  const disk = changedDisk(workplace.folder, 'rootfs.squashfs', 40);
  await using machine = await startMachine({ disk, boot: { kind: 'kernel' } });
  await machine.shows(/device-mapper: verity: .*data block 0 is corrupted/);
  await machine.isOff();
  assert.doesNotMatch(machine.console(), /switching to the root file system/);
});

test('the init says what is wrong with the root hash or the disk, and restarts the machine', {
  skip,
}, async () => {
  const otherHash = `console=ttyS0 panic=1 printk.devkmsg=on nodewright.roothash=${'0'.repeat(64)}`;
  const cases = [
    {
      boot: { kind: 'kernel', commandLine: 'console=ttyS0 printk.devkmsg=on' },
      shows: /nodewright\.roothash must be once on the kernel's command line/,
    },
    {
      boot: { kind: 'kernel', words: ['nodewright.roothash=nonsense'] },
      shows: /nodewright\.roothash must be once on the kernel's command line/,
    },
    { boot: { kind: 'kernel', words: ['nodewright.slot=B'] }, shows: /has no image in slot B/ },
    { boot: { kind: 'kernel', commandLine: otherHash }, shows: /verity: .*is corrupted/ },
    {
      disk: 'none',
      boot: { kind: 'kernel' },
      shows: /no disk has a partition labelled BOOT with an image in slot A/,
    },
  ] as const;
  for (const { shows, ...init } of cases) {
    await using machine = await startMachine(init);
    await machine.shows(shows);
    await machine.isOff(90_000);
    assert.doesNotMatch(machine.console(), /daemon serves/);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorArguments } from './emulator-command.ts';

const words = (folder: string, accelerator: 'kvm' | 'tcg' = 'tcg') =>
  emulatorArguments({
    ...{ folder, console: `${folder}.log`, apiPort: 40000, kubernetesPort: undefined, accelerator },
    commandLine: 'console=ttyS0 nodewright.slot=A\n',
  });
const argumentAfter = (all: readonly string[], option: string) => all[all.indexOf(option) + 1];

test('emulatorArguments() keep the disk, let the machine restart, and lead a loopback port to its API', () => {
  const all = words('/c/nodes/node01');
  assert.ok(!all.includes('-no-reboot'));
  assert.equal(
    argumentAfter(all, '-drive'),
    'file=/c/nodes/node01/disk.raw,if=virtio,format=raw,snapshot=off',
  );
  assert.match(argumentAfter(all, '-netdev') ?? '', /hostfwd=tcp:127\.0\.0\.1:40000-10\.0\.2\.15:50000$/);
  assert.equal(
    argumentAfter(all, '-append'),
    'console=ttyS0 nodewright.slot=A ip=10.0.2.15::10.0.2.2:255.255.255.0::eth0:off',
  );
  assert.equal(argumentAfter(all, '-qmp'), 'unix:monitor.sock,server=on,wait=off');
});

test('emulatorArguments() escape commas in the paths of disk and console', () => {
  const all = words('/c,d/node01');
  assert.match(argumentAfter(all, '-drive') ?? '', /^file=\/c,,d\/node01\/disk\.raw,if=/);
  assert.match(argumentAfter(all, '-chardev') ?? '', /,path=\/c,,d\/node01\.log,append=on$/);
  assert.equal(argumentAfter(all, '-kernel'), '/c,d/node01/vmlinuz');
});

test('emulatorArguments() use the processor of this host with KVM only', () => {
  assert.equal(argumentAfter(words('/c', 'kvm'), '-accel'), 'kvm');
  assert.equal(argumentAfter(words('/c'), '-cpu'), 'max,cx16=off');
});

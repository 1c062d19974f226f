// What somebody who stands in front of a machine can read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestAddress, guestNetwork } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { noMachine, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const skip = noMachine;

test('the screen of a machine has its address and its fingerprint, and no request', { skip }, async () => {
  using workplace = openWorkplace();
  await using machine = await startMachine({
    hasScreen: true,
    boot: { kind: 'kernel', words: [guestNetwork] },
  });
  await machine.shows(/maintenance: waiting for a machine configuration/, 900_000);
  // The lines of the log have the same facts.
  await machine.shows(/"fingerprint":"[^"]+"/);
  const fingerprint = /"fingerprint":"([^"]+)"/.exec(machine.console())?.[1] ?? 'none';
  const disks = await workplace.succeeds(['-n', machine.api, 'get', 'disks', '--insecure']);
  assert.match(disks, /vda/);
  let screen = '';
  const wanted = [
    `[nodewright] address: ${guestAddress}`,
    `[nodewright] fingerprint: ${fingerprint}`,
    '[nodewright] state: maintenance',
    '[nodewright] waits for: a configuration: talosctl apply-config',
  ];
  const hasAll = async () => {
    screen = await machine.screen();
    return wanted.every((line) => screen.includes(line));
  };
  const rows = () => screen.replaceAll(/.{80}/gs, (row) => `${row.trimEnd()}\n`);
  await eventually(hasAll, { what: wanted.join('; '), timeoutMs: 900_000, explain: rows });
  for (const line of wanted) assert.ok(machine.console().includes(line), `the serial port lacks ${line}`);
  assert.doesNotMatch(screen + machine.console(), /request finished/);
});

test('a machine without an address says on its screen what to do, and its link is up', { skip }, async () => {
  // The network of the emulator has a DHCP server.
  const words = ['talos.network.interface.ignore=eth0', 'ip=bootp'];
  await using machine = await startMachine({ hasScreen: true, boot: { kind: 'kernel', words } });
  const patterns = [
    /\[nodewright\] address: none/,
    /the machine has no address: ip=bootp: "bootp" is not implemented/,
    /or ip=<address>::<gateway>:<netmask>::<link>:off:<name server>/,
    /links: eth0 up/,
  ];
  for (const pattern of patterns) await machine.shows(pattern, 900_000);
  const screen = (await machine.screen()).replaceAll(/\s+/g, ' ');
  for (const pattern of patterns) assert.match(screen, pattern);
});

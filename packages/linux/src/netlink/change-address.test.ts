// Addresses with a lifetime and their announcement, in a network namespace of its own.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { announceAddress } from '../announce-address.ts';
import { loadNativeCalls, type NativeCalls } from '../native-calls.ts';
import { openPacketSocket } from '../packet-socket.ts';
import { lendAddress, returnAddress } from './change-address.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readLinks } from './read-network.ts';

const skip = noOwnNamespace;
const inet4 = Buffer.from([10, 9, 8, 99]);
const inet6 = Buffer.from('fd000000000000000000000000000099', 'hex');
let calls: NativeCalls;
const link = (name: string) => readLinks(calls).find((each) => each.name === name) ?? assert.fail(name);

before(async () => {
  if (skip) return;
  calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  for (const name of ['wire0', 'wire1']) ip(`link set ${name} up`);
});

test('an address gets a lifetime, then another one, and is removed twice without an error', { skip }, () => {
  const { index } = link('wire0');
  for (const address of [inet4, inet6]) {
    lendAddress(calls, index, { address, lifetimeSeconds: 500 });
    lendAddress(calls, index, { address, lifetimeSeconds: 1000 });
  }
  const shown = ip('addr show dev wire0');
  assert.match(shown, /inet 10\.9\.8\.99\/32 scope global dynamic wire0\s+valid_lft (9\d\d|1000)sec/);
  assert.match(
    shown,
    /inet6 fd00::99\/128 scope global (?=.*nodad)(?=.*deprecated)[^\n]*\s+valid_lft (9\d\d|1000)sec preferred_lft 0sec/,
  );
  // The address that the device made itself is tentative at first.
  assert.doesNotMatch(shown, /fd00::99.*tentative/);
  for (let round = 0; round < 2; round += 1)
    for (const address of [inet4, inet6]) returnAddress(calls, index, address);
  assert.doesNotMatch(ip('addr show dev wire0'), /10\.9\.8\.99|fd00::99/);
  assert.throws(() => lendAddress(calls, 4000, { address: inet4, lifetimeSeconds: 1 }), {
    kind: 'unavailable',
    message: /ENODEV/,
  });
});

test('the kernel removes an address at the end of its lifetime', { skip }, async () => {
  const { index } = link('wire0');
  for (const address of [inet4, inet6]) lendAddress(calls, index, { address, lifetimeSeconds: 1 });
  await eventually(() => !/10\.9\.8\.99|fd00::99/.test(ip('addr show dev wire0')), {
    what: 'end of both lifetimes',
  });
});

test('announcements reach the other end of the wire, and a loopback device announces nothing', {
  skip,
}, async () => {
  const init = { onlyReceived: true, promiscuous: false, filter: [], linkIndex: link('wire1').index };
  using socket = openPacketSocket(calls, init);
  for (const address of [inet4, inet6]) {
    announceAddress(calls, link('wire0'), address);
    announceAddress(calls, link('lo'), address);
  }
  const seen: string[] = [];
  await eventually(
    () => {
      for (const { data } of socket.take() ?? []) seen.push(Buffer.from(data).toString('hex'));
      const has = (pattern: RegExp) => seen.some((frame) => pattern.test(frame));
      return has(/^ffffffffffff.{12}0806.*0a090863$/) && has(/^333300000001.{12}86dd.*8800.{4}20000000fd00/);
    },
    { what: 'both announcements', explain: () => seen.join('\n') },
  );
});

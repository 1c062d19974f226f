// Datagrams between the ends of a pair of links, in a network namespace of the test.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { mostDatagramsASecond, openInet6Socket } from './inet6-socket.ts';
import { loadNativeCalls } from './native-calls.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './netlink/own-namespace.ts';
import { readLinks } from './netlink/read-network.ts';

const skip = noOwnNamespace;
const calls = await loadNativeCalls();
if (skip === false) {
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  for (const link of ['wire0', 'wire1']) {
    writeFileSync(`/proc/sys/net/ipv6/conf/${link}/accept_dad`, '0');
    ip(`link set ${link} up`);
  }
}
const linkOf = (name: string) => {
  const { index = 0 } = readLinks(calls).find((link) => link.name === name) ?? {};
  return { name, index };
};
const addressOf = (name: string) =>
  /inet6 (fe80::[0-9a-f:]+)\/64 scope link (?!tentative)/.exec(ip(`-6 addr show dev ${name}`))?.[1] ?? '';
/** The kernel makes them some time after the links are up. */
const haveAddresses = () =>
  eventually(() => addressOf('wire0') !== '' && addressOf('wire1') !== '', { what: 'addresses' });

test('openInet6Socket() sends and receives on one link, and drops what is too long', { skip }, async () => {
  const received: string[] = [];
  const open = (name: string, port: number) =>
    openInet6Socket(calls, {
      ...{ link: linkOf(name), port, longestBytes: 100 },
      timers: { monotonicMs: () => performance.now(), after: () => assert.fail('a pause') },
      onDatagram: (datagram) => received.push(`${name} ${Buffer.from(datagram)}`),
      onError: (error) => assert.fail(String(error)),
    });
  using client = open('wire0', 546);
  // The other end has the port on a link of its own.
  using server = open('wire1', 546);
  await haveAddresses();
  for (const text of ['a'.repeat(101), 'question']) client.send(Buffer.from(text), addressOf('wire1'), 546);
  await eventually(() => received.length === 1, { what: 'a datagram' });
  server.send(Buffer.from('b'.repeat(100)), addressOf('wire0'), 546);
  await eventually(() => received.length === 2, { what: 'an answer' });
  assert.deepEqual(received, ['wire1 question', `wire0 ${'b'.repeat(100)}`]);
});

test('openInet6Socket() receives nothing that may have come from another network', { skip }, async () => {
  const received: string[] = [];
  const open = (name: string, port: number) =>
    openInet6Socket(calls, {
      ...{ link: linkOf(name), port, longestBytes: 100 },
      timers: { monotonicMs: () => performance.now(), after: () => assert.fail('a pause') },
      onDatagram: (datagram) => received.push(`${Buffer.from(datagram)}`),
      onError: (error) => assert.fail(String(error)),
    });
  using client = open('wire0', 548);
  using _server = open('wire1', 548);
  await haveAddresses();
  ip('-6 addr add fd00::1/64 dev wire0 nodad');
  ip('-6 addr add fd00::2/64 dev wire1 nodad');
  for (const address of ['fd00::2', 'ff02::1', addressOf('wire1')])
    client.send(Buffer.from(address), address, 548);
  await eventually(() => received.length > 0, { what: 'a datagram' });
  assert.deepEqual(received, [addressOf('wire1')]);
});

test('openInet6Socket() reads a flood at a limited rate', { skip }, async () => {
  let count = 0;
  let nowMs = 0;
  const paused: (() => void)[] = [];
  const timers = {
    monotonicMs: () => nowMs,
    after(_: number, action: () => void) {
      paused.push(action);
      return { [Symbol.dispose]: () => {} };
    },
  };
  const init = { longestBytes: 100, timers, onError: (error: unknown) => assert.fail(String(error)) };
  using _server = openInet6Socket(calls, {
    ...{ ...init, link: linkOf('wire1'), port: 547 },
    onDatagram: () => {
      count += 1;
    },
  });
  using client = openInet6Socket(calls, { ...init, link: linkOf('wire0'), port: 547, onDatagram: () => {} });
  await haveAddresses();
  for (let sent = 0; sent < 5000; sent += 1) client.send(Buffer.from('x'), addressOf('wire1'), 547);
  await eventually(() => paused.length === 1, { what: 'a pause' });
  assert.equal(count, mostDatagramsASecond);
  nowMs += 1000;
  paused.pop()?.();
  await eventually(() => paused.length === 1, { what: 'another pause' });
  assert.equal(count, 2 * mostDatagramsASecond);
});

// The network of a machine that starts, in a namespace of its own.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadNativeCalls, type NativeCalls } from '@nodewright/linux';
import { enterOwnNamespace, ip, noOwnNamespace } from '@nodewright/linux/testing';
import { readIfThere } from '../../base/host/read-if-there.ts';
import { setUpNetwork } from './static-network.ts';

const acceptOf = (link: string) =>
  readIfThere(`/proc/sys/net/ipv6/conf/${link}/accept_ra`)?.toString().trim();
const commandLine = 'console=tty0 ip=10.9.8.7:::24::wire0:off panic=0\n';
const isUp = (link: string) => /[<,]UP[,>]/.test(ip(`link show dev ${link}`));
/** The kernel's calls, where a request to change this link ends with ENODEV. */
function refusingLink(calls: NativeCalls, name: string): NativeCalls {
  const index = Number(ip(`link show dev ${name}`).split(':')[0]);
  const [headerBytes, newLink, unknownIndex] = [16, 16, 0x7ffffff];
  return {
    ...calls,
    sendTo(descriptor, message, address) {
      const copy = Buffer.from(message);
      const at = headerBytes + 4;
      if (copy.readUInt16LE(4) === newLink && copy.readInt32LE(at) === index)
        copy.writeInt32LE(unknownIndex, at);
      return calls.sendTo(descriptor, copy, address);
    },
  };
}
const skip = noOwnNamespace || (acceptOf('default') === undefined ? 'this kernel has no IPv6' : false);

test("no link takes routers' advertisements: not the one of ip=, not another one, and not one that appears later", {
  skip,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  for (const link of ['default', 'wire0', 'wire1'])
    writeFileSync(`/proc/sys/net/ipv6/conf/${link}/accept_ra`, '2');
  setUpNetwork(calls, commandLine, writeFileSync);
  ip('link add later0 type veth peer name later1');
  assert.deepEqual(['default', 'wire0', 'wire1', 'later0', 'later1'].map(acceptOf), [
    '0',
    '0',
    '0',
    '0',
    '0',
  ]);
  assert.match(ip('-4 addr show dev wire0'), /inet 10\.9\.8\.7\/24/);
});

test('every Ethernet link comes up without an address when the command line has none', {
  skip: noOwnNamespace,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  assert.deepEqual(setUpNetwork(calls, 'quiet', writeFileSync), {
    address: undefined,
    problem: "ip= is not on the kernel's command line",
  });
  for (const link of ['lo', 'wire0', 'wire1']) assert.ok(isUp(link), `${link} is down`);
  assert.doesNotMatch(ip('-4 addr show dev wire0'), /inet /);
});

test("a link stays down when its routers' advertisements cannot be refused, and comes up on a kernel without IPv6", {
  skip,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  const fails = (code: string, link?: string) => (path: string) => {
    if (link === undefined || path.includes(`/${link}/`)) throw Object.assign(new Error(code), { code });
  };
  const { address, problem } = setUpNetwork(calls, commandLine, fails('EACCES'));
  assert.equal(address, undefined);
  assert.match(problem ?? '', /link wire0 stays down, .*: EACCES/);
  assert.deepEqual(['wire0', 'wire1'].map(isUp), [false, false]);
  const other = setUpNetwork(calls, 'quiet', fails('EACCES', 'wire0'));
  assert.match(other.problem ?? '', /link wire0 stays down, .*: EACCES/);
  assert.deepEqual(['wire0', 'wire1'].map(isUp), [false, true]);
  assert.deepEqual(setUpNetwork(calls, commandLine, fails('ENOENT')), {
    address: '10.9.8.7',
    problem: undefined,
  });
  assert.ok(isUp('wire0'));
});

test('a link that does not come up keeps no other one down, and is named together with what is wrong with ip=', {
  skip: noOwnNamespace,
}, async () => {
  const calls = await loadNativeCalls();
  for (const [line, reason] of [
    ['quiet', /^ip= is not on the kernel's command line; /],
    ['ip=dhcp', /^ip=dhcp: DHCP is not implemented yet.*; /],
    ['ip=10.9.8.7:::24::wire0:off', /^/],
  ] as const) {
    enterOwnNamespace();
    ip('link add wire0 index 20 type veth peer name wire1 index 30');
    ip('link add wire2 index 40 type veth peer name wire3 index 50');
    const { address, problem = '' } = setUpNetwork(refusingLink(calls, 'wire0'), line, writeFileSync);
    assert.equal(address, undefined);
    assert.match(problem, reason);
    assert.equal(problem.match(/link wire0 does not come up: .*?ENODEV/g)?.length, 1, problem);
    assert.deepEqual(['lo', 'wire0', 'wire1', 'wire2', 'wire3'].map(isUp), [true, false, true, true, true]);
  }
});

test('a machine keeps the address of ip= when the kernel refuses its gateway, and its other links stay down', {
  skip: noOwnNamespace,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  const { address, problem } = setUpNetwork(calls, 'ip=10.9.8.7::192.0.2.1:24::wire0:off', writeFileSync);
  assert.equal(address, '10.9.8.7');
  assert.match(problem ?? '', /the gateway 192\.0\.2\.1 of ip= is refused: .*ENETUNREACH/);
  assert.match(ip('-4 addr show dev wire0'), /inet 10\.9\.8\.7\/24/);
  assert.deepEqual(['wire0', 'wire1'].map(isUp), [true, false]);
});

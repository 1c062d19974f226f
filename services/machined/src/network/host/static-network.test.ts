// The network of a machine that starts, in a namespace of its own.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadNativeCalls } from '@nodewright/linux';
import { enterOwnNamespace, ip, noOwnNamespace } from '@nodewright/linux/testing';
import { readIfThere } from '../../base/host/read-if-there.ts';
import { setUpNetwork } from './static-network.ts';

const acceptOf = (link: string) =>
  readIfThere(`/proc/sys/net/ipv6/conf/${link}/accept_ra`)?.toString().trim();
const argument = { address: '10.9.8.7', prefixLength: 24, device: 'wire0', nameServers: [] };
const skip = noOwnNamespace || (acceptOf('default') === undefined ? 'this kernel has no IPv6' : false);

test("no link takes routers' advertisements: not the one of ip=, not another one, and not one that appears later", {
  skip,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  for (const link of ['default', 'wire0', 'wire1'])
    writeFileSync(`/proc/sys/net/ipv6/conf/${link}/accept_ra`, '2');
  setUpNetwork(calls, argument, writeFileSync);
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
  setUpNetwork(calls, undefined, writeFileSync);
  for (const link of ['lo', 'wire0', 'wire1'])
    assert.match(ip(`link show dev ${link}`), /[<,]UP[,>]/, `${link} is down`);
  assert.doesNotMatch(ip('-4 addr show dev wire0'), /inet /);
});

test("a link stays down when its routers' advertisements cannot be refused, and comes up on a kernel without IPv6", {
  skip,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  const fails = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  assert.throws(() => setUpNetwork(calls, argument, fails('EACCES')), { code: 'EACCES' });
  assert.doesNotMatch(ip('link show dev wire0'), /[<,]UP[,>]/);
  setUpNetwork(calls, argument, fails('ENOENT'));
  assert.match(ip('link show dev wire0'), /[<,]UP[,>]/);
});

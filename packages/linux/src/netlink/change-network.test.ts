// Changes to the network, in a namespace of their own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNativeCalls } from '../native-calls.ts';
import { addAddress, addDefaultRoute, setLinkUp } from './change-network.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readLinks } from './read-network.ts';

test('a link is set up, and gets an address and the default route, twice without an error', {
  skip: noOwnNamespace,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  ip('link set wire1 up');
  const index = readLinks(calls).find(({ name }) => name === 'wire0')?.index ?? assert.fail('no wire0');
  for (let round = 0; round < 2; round += 1) {
    setLinkUp(calls, index);
    addAddress(calls, index, { address: Buffer.from([10, 9, 8, 7]), prefixLength: 24 });
    addDefaultRoute(calls, index, Buffer.from([10, 9, 8, 1]));
  }
  assert.match(ip('-4 addr show dev wire0'), /state UP[\s\S]*inet 10\.9\.8\.7\/24/);
  assert.match(ip('route show'), /default via 10\.9\.8\.1 dev wire0/);
  assert.throws(() => addDefaultRoute(calls, index, Buffer.from([192, 0, 2, 1])), {
    kind: 'unavailable',
    message: 'netlink: the kernel answers with ENETUNREACH',
  });
  assert.throws(() => setLinkUp(calls, 4_000), { kind: 'unavailable', message: /ENODEV/ });
});

// Changes to links, in a namespace of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNativeCalls } from '../native-calls.ts';
import { setLinkUp } from './change-link.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readLinks } from './read-network.ts';

test('a link is set up, twice without an error', { skip: noOwnNamespace }, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  ip('link set wire1 up');
  const index = readLinks(calls).find(({ name }) => name === 'wire0')?.index ?? assert.fail('no wire0');
  for (let round = 0; round < 2; round += 1) setLinkUp(calls, index);
  assert.match(ip('link show dev wire0'), /state UP/);
  assert.throws(() => setLinkUp(calls, 4_000), { kind: 'unavailable', message: /ENODEV/ });
});

// A node of processes must not change its host: it only sends requests that read.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadNativeCalls, type NativeCalls } from '../native-calls.ts';
import { readLinkHardware } from './link-hardware.ts';
import { readLinkState } from './link-state.ts';
import { messagesOf } from './netlink-message.ts';
import { readAddresses, readLinks, readRoutes, readRules } from './read-network.ts';
import { watchNetlink } from './watch-netlink.ts';
import { readWireguard } from './wireguard-device.ts';

test('reading and watching the network sends only requests that read', async () => {
  const real = await loadNativeCalls();
  const types = new Set<number>();
  const generic = new Set<number>();
  const genericCommands = new Set<string>();
  const commands = new Set<number>();
  let question: Uint8Array = new Uint8Array();
  const calls: NativeCalls = {
    ...real,
    socket(domain, type, protocol) {
      const descriptor = real.socket(domain, type, protocol);
      if (domain === 16 && protocol === 16) generic.add(descriptor);
      else generic.delete(descriptor);
      return descriptor;
    },
    sendTo(descriptor, bytes, address) {
      for (const { type, payload } of messagesOf(bytes))
        if (generic.has(descriptor))
          genericCommands.add(`${type === 16 ? 'controller' : 'family'} ${payload[0]}`);
        else types.add(type);
      real.sendTo(descriptor, bytes, address);
    },
    addressOf(bytes) {
      question = bytes;
      return real.addressOf(bytes);
    },
    control(descriptor, request, argument) {
      assert.equal(request, 0x8946, 'of ethtool');
      commands.add(Buffer.from(question).readUInt32LE());
      real.control(descriptor, request, argument);
    },
  };
  const links = readLinks(calls);
  readAddresses(calls);
  readRoutes(calls);
  readRules(calls);
  for (const { name } of links) {
    readLinkHardware(calls, name);
    readLinkState(calls, name);
  }
  readWireguard(calls, 1);
  watchNetlink(calls, ['link', 'address', 'route', 'rule'], { onChange() {}, onError() {} })[
    Symbol.dispose
  ]();
  // RTM_GET*: the third of the four messages of each kind, <linux/rtnetlink.h>.
  assert.deepEqual(
    [...types].map((type) => type & 3),
    [2, 2, 2, 2],
  );
  // CTRL_CMD_GETFAMILY, and WG_CMD_GET_DEVICE where the kernel has WireGuard.
  assert.ok(genericCommands.delete('controller 3'));
  genericCommands.delete('family 0');
  assert.deepEqual(genericCommands, new Set());
  // ETHTOOL_GDRVINFO, ETHTOOL_GLINK, ETHTOOL_GLINKSETTINGS.
  assert.deepEqual(
    [...commands].sort((a, b) => a - b).every((command) => [0x3, 0xa, 0x4c].includes(command)),
    true,
  );
});

test('only the code that reads the network, and that of the owner of a network, calls send or ioctl', () => {
  const folder = join(import.meta.dirname, '..');
  const users = globSync('**/*.ts', { cwd: folder })
    .filter(
      (path) =>
        !path.endsWith('.test.ts') && /\.(sendTo|control)\(/.test(readFileSync(join(folder, path), 'utf8')),
    )
    .sort();
  // The first one announces an address, `frame-socket.ts`, `inet6-socket.ts` and `udp-sender.ts` ask for one by DHCP, and `solicit-routers.ts`
  // asks routers, which only a node that owns its network does; `own-namespace.ts` is for tests only.
  assert.deepEqual(users, [
    'announce-address.ts',
    'frame-socket.ts',
    'inet6-socket.ts',
    'netlink/ask-driver.ts',
    'netlink/netlink-socket.ts',
    'netlink/own-namespace.ts',
    'solicit-routers.ts',
    'udp-sender.ts',
  ]);
});

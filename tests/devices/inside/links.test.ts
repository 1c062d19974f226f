import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EventSource } from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { encodeAttribute } from '../../../packages/linux/src/netlink/attributes.ts';
import { collect, isUdevRecorded, openKernelSocket, startMachine } from './own-machine.ts';

const scope = new AsyncDisposableStack();
const { client } = scope.use(await startMachine());
const routes = scope.use(await openKernelSocket(0));
after(() => scope.disposeAsync());

// <linux/rtnetlink.h>, <linux/if_link.h>
const [newLink, deleteLink, createExclusively] = [16, 17, 0x600];
const [linkName, linkInfo, infoKind, infoData, vethPeer] = [3, 18, 1, 2, 1];
const interfaceHeader = Buffer.alloc(16);
const text = (value: string) => Buffer.from(`${value}\0`);

function addVeth(name: string, peer: string): void {
  const peerMessage = Buffer.concat([interfaceHeader, encodeAttribute(linkName, text(peer))]);
  const info = Buffer.concat([
    encodeAttribute(infoKind, text('veth')),
    encodeAttribute(infoData, encodeAttribute(vethPeer, peerMessage)),
  ]);
  const payload = [interfaceHeader, encodeAttribute(linkName, text(name)), encodeAttribute(linkInfo, info)];
  routes.send(newLink, Buffer.concat(payload), createExclusively);
}

const removeLink = (name: string) =>
  routes.send(deleteLink, Buffer.concat([interfaceHeader, encodeAttribute(linkName, text(name))]));

test('links that come and go are events of the kernel and of udevd, and the inventory agrees', async () => {
  const inventory = async () =>
    (await Array.fromAsync(client.inventory({ subsystems: ['net'] }))).flatMap((page) => page.devices);
  const { position } = await client.status({});
  addVeth('veth1', 'veth1p');
  const isAbout = (name: string) => (event: { path: string }) => event.path.endsWith(`/${name}`);
  const udevd = [EventSource.EVENT_SOURCE_UDEVD];
  const added = await collect(client, { after: position, subsystems: ['net'], sources: udevd }, (got) =>
    ['veth1', 'veth1p'].every((name) => got.some(isAbout(name))),
  );
  assert.deepEqual(added.gaps, []);
  const event = added.events.find(isAbout('veth1'));
  // What only udevd knows is in its events.
  assert.ok(Number(event?.properties.USEC_INITIALIZED) > 0, Object.keys(event?.properties ?? {}).join());
  const device = (await inventory()).find(({ name }) => name === 'veth1');
  assert.equal(device?.path, '/devices/virtual/net/veth1');
  const index = device?.properties.IFINDEX;
  assert.ok(isUdevRecorded(`n${index}`) && device?.udev !== undefined);

  removeLink('veth1');
  const removed = await collect(client, { after: added.position, subsystems: ['net'] }, (got) =>
    got.some((each) => each.action === 'remove' && each.source === udevd[0] && isAbout('veth1')(each)),
  );
  const story = removed.events
    .filter(isAbout('veth1'))
    .map(({ action, source }) => `${action} ${source}`)
    .filter((line) => line.startsWith('remove'));
  assert.deepEqual(story, [`remove ${EventSource.EVENT_SOURCE_KERNEL}`, `remove ${udevd[0]}`]);
  assert.equal(
    (await inventory()).some(({ name }) => name === 'veth1'),
    false,
  );
  assert.equal(isUdevRecorded(`n${index}`), false);
});

test('events of many links keep their order for each link', async () => {
  const { position } = await client.status({});
  const names = Array.from({ length: 50 }, (_, index) => `v${index}`);
  for (const name of names) addVeth(name, `${name}p`);
  for (const name of names) removeLink(name);
  const sources = [EventSource.EVENT_SOURCE_UDEVD];
  const isEnd = (event: { action: string }) => event.action === 'remove';
  const { events } = await collect(
    client,
    { after: position, subsystems: ['net'], sources },
    (got) => got.filter(isEnd).length >= 100,
  );
  for (const name of names) {
    const actions = events.filter(({ path }) => path.endsWith(`/${name}`)).map(({ action }) => action);
    assert.deepEqual(
      [actions[0], actions.at(-1), actions.filter((action) => action === 'add').length],
      ['add', 'remove', 1],
    );
  }
});

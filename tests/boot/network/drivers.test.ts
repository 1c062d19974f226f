// Machines whose network device is not that of virtio: the one of VMware, and with KERNEL=full also a card that servers have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';
import { configure, networkMachine, ours } from './network-machine.ts';
import { openMachineNetwork, skip } from './open-network.ts';

const devices = ['vmxnet3', ...(process.env.KERNEL === 'full' ? ['e1000e'] : [])];

test(`a machine with ${devices.join(' or ')} gets its address by DHCP, and uses a device that is added later`, {
  skip,
}, async (t) => {
  await using network = await openMachineNetwork();
  const connections = devices.map((device) => network.connect(device));
  const taps = network.openTaps(devices.length);
  await using server = await network.serve('1h');
  for (const [index, device] of devices.entries())
    await t.test(device, async () => {
      using place = openWorkplace();
      const run = ours(place);
      const connection = connections[index] ?? assert.fail();
      const { address } = connection;
      const generated = await place.talosctl('gen', 'config', 'plain', `https://${address}:6443`);
      assert.equal(generated.exitCode, 0, generated.output);
      const disk = place.machineDisk(`${device}.raw`);
      const machine = await startMachine({
        ...{ disk, keepsDisk: true, network: connection, slots: 1, boot: { kind: 'kernel' } },
      });
      await using node = networkMachine(machine, connection);
      await configure(run, 'controlplane.yaml', node);
      const own = ['-e', address, '-n', address];
      await node.shows(run, ['get', 'links', 'eth0', '-o', 'yaml', ...own], new RegExp(`driver: ${device}`));
      assert.ok(server.text().includes(`DHCPACK(lan0) ${address} `), server.text());
      // Its driver is loaded, so this shows that the second device is set up, and by the default client.
      await machine.order(`netdev_add tap,id=late,ifname=${taps[index]},script=no,downscript=no`);
      await machine.order(
        `device_add ${device},netdev=late,romfile=,mac=52:54:00:00:09:01,bus=slot0,id=late`,
      );
      await node.shows(run, ['get', 'links', ...own], /52:54:00:00:09:01/);
      await node.shows(run, ['get', 'operatorspecs', ...own], /dhcp4\/eth1/);
    });
});

// Machines with the files of `gen config`, ours and the released client's, and nothing else: their address comes by DHCP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runClient } from '../../upstream/run-client.ts';
import { startMachine } from '../machine.ts';
import { bootstrapEtcd } from '../plain/plain-machine.ts';
import { openWorkplace, type Workplace } from '../use-machine.ts';
import { configure, networkMachine, ours, type Run } from './network-machine.ts';
import { gateway, openMachineNetwork, skip } from './open-network.ts';

const clientTimeoutMs = 60_000;
/** EPHEMERAL must have 4 GB. The file takes only what the machine writes. */
const diskBytes = 8 * 2 ** 30;

const released =
  ({ folder }: Workplace): Run =>
  async (...words) => {
    const init = { talosconfig: 'talosconfig', folder, timeoutMs: clientTimeoutMs };
    const { exitCode, stdout, stderr } = await runClient(words, init);
    return { exitCode, output: stdout + stderr };
  };

test("a machine with the file of gen config, ours or the released client's, gets its address by DHCP and reaches running", {
  skip,
}, async (t) => {
  await using network = await openMachineNetwork();
  const cases = [
    { name: 'ours', runOf: ours, clock: undefined },
    { name: 'the released client', runOf: released, clock: '2020-01-01T00:00:00' },
  ];
  const connections = cases.map(() => network.connect());
  await using server = await network.serve('1h');
  for (const [index, { name, runOf, clock }] of cases.entries())
    await t.test(name, async () => {
      using place = openWorkplace();
      const run = runOf(place);
      const connection = connections[index] ?? assert.fail();
      const { address, tapDevice } = connection;
      const words = ['gen', 'config', 'plain', `https://${address}:6443`];
      // Ours writes the talosconfig beside the other files, too.
      const generated = await (name === 'ours' ? place.talosctl(...words) : run(...words));
      assert.equal(generated.exitCode, 0, generated.output);
      const disk = place.machineDisk(`${tapDevice}.raw`, diskBytes);
      await using node = networkMachine(
        await startMachine({
          ...{ disk, keepsDisk: true, network: connection, boot: { kind: 'kernel' } },
          ...(clock && { clock }),
        }),
        connection,
      );
      await configure(run, 'controlplane.yaml', node);
      // A control plane boots until its etcd runs.
      await bootstrapEtcd(run, node);
      const own = ['-e', address, '-n', address];
      await node.shows(run, ['get', 'machinestatus', '-o', 'yaml', ...own], /stage: running/);
      assert.match(server.text(), new RegExp(`DHCPACK\\(lan0\\) ${address.replaceAll('.', '\\.')} `));
      const addresses = await node.shows(run, ['get', 'addressspecs', '-o', 'yaml', ...own]);
      assert.match(addresses, new RegExp(`address: ${address}/24\\n[\\s\\S]*?layer: operator`));
      await node.shows(run, ['get', 'timeservers', '-o', 'yaml', ...own], new RegExp(`- ${gateway}\\n`));
      await node.shows(run, ['get', 'resolvers', '-o', 'yaml', ...own], new RegExp(`- ${gateway}\\n`));
      await node.shows(run, ['get', 'routes', ...own], new RegExp(`inet4/${gateway}//1024`));
      await node.shows(run, ['get', 'timestatus', '-o', 'yaml', ...own], /synced: true/);
      const today = new Date().toISOString().slice(0, 10);
      await node.shows(run, ['time', ...own], new RegExp(today));
    });
});

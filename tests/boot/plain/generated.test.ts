// The files of our `gen config` on machines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorkplace } from '../use-machine.ts';
import { bootstrap, configure, ours, skip, succeeds, switchOn } from './plain-machine.ts';
import { openPlainNetwork } from './plain-network.ts';

test('a control plane and a worker with the files of gen config become a healthy cluster', {
  skip,
}, async () => {
  await using network = await openPlainNetwork();
  using place = openWorkplace();
  const run = ours(place);
  const connection = network.connect();
  const generated = await place.talosctl('gen', 'config', 'plain', `https://${connection.address}:6443`);
  assert.equal(generated.exitCode, 0, generated.output);
  await using controlPlane = await switchOn(place, connection);
  await configure(run, 'controlplane.yaml', controlPlane);
  await using worker = await switchOn(place, network.connect());
  await configure(run, 'worker.yaml', worker);
  await bootstrap(run, run, controlPlane);
  const { address } = worker;
  await succeeds(run, ['version', '-e', controlPlane.address, '-n', address], worker);
});

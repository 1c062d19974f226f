// The files of upstream's released client on a machine that is also set up with it, and whose clock is years behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { runClient } from '../../upstream/run-client.ts';
import { openWorkplace, type Workplace } from '../use-machine.ts';
import { bootstrap, configure, ours, type Run, skip, stepTimeoutMs, switchOn } from './plain-machine.ts';
import { openPlainNetwork } from './plain-network.ts';

const clientTimeoutMs = 60_000;

const released =
  ({ folder }: Workplace): Run =>
  async (...words) => {
    const init = { talosconfig: 'talosconfig', folder, timeoutMs: clientTimeoutMs };
    const { exitCode, stdout, stderr } = await runClient(words, init);
    return { exitCode, output: stdout + stderr };
  };

test("a control plane with the file of the released client's gen config, whose clock is years behind, becomes healthy", {
  skip,
}, async () => {
  await using network = await openPlainNetwork();
  using place = openWorkplace();
  const run = released(place);
  const connection = network.connect();
  const generated = await run('gen', 'config', 'released', `https://${connection.address}:6443`);
  assert.equal(generated.exitCode, 0, generated.output);
  await using controlPlane = await switchOn(place, connection, '2020-01-01T00:00:00');
  await configure(run, 'controlplane.yaml', controlPlane);
  // The released client's `health` has no way to leave out Kubernetes.
  await bootstrap(run, ours(place), controlPlane);
  const isNow = async () => {
    const { address } = controlPlane;
    const { output } = await run('time', '-e', address, '-n', address);
    return output.includes(new Date().toISOString().slice(0, 10));
  };
  await eventually(isNow, { what: 'a machine with the date of its time server', timeoutMs: stepTimeoutMs });
});

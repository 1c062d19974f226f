// How long a change of a device takes to become a change of a resource: measured and printed, not judged.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo } from '@nodewright/state';
import { blockDevices, discoveredVolumes, disks } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { worlds } from '../../../services/machined/src/base/domain/world.ts';
import { blockControllers } from '../../../services/machined/src/hardware/controllers/block-controllers.ts';
import { openDeviceBridge } from '../../../services/machined/src/hardware/host/device-bridge.ts';
import { makeDisk, openKernelSocket, replay, socket, startMachine } from './own-machine.ts';

const scope = new AsyncDisposableStack();
const disk = makeDisk('fake0', 2048);
const machine = scope.use(await startMachine());
const kernel = scope.use(await openKernelSocket(15));
after(() => scope.disposeAsync());

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test('a replayed event of a disk changes its resources, and the medians are printed', async (t) => {
  const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
  const source = scope.use(openDeviceBridge({ socket, log }));
  await eventually(() => source.state().isConnected, {
    ...{ what: 'udevd-bridge', timeoutMs: 300_000 },
    explain: () => machine.process.stdout(),
  });
  const controllers = blockControllers({
    world: worlds.machine,
    hasUdevd: false,
    systemDisk: () => undefined,
    source,
  });
  const runtime = scope.use(openTestRuntime({ controllers }));
  const { state } = runtime;
  const until = async (what: string, isChanged: () => Promise<boolean>) => {
    const endMs = performance.now() + 300_000;
    while (!(await isChanged())) {
      assert.ok(performance.now() < endMs, what);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const exists = async () => (await state.list(disks)).some(({ metadata }) => metadata.id === 'fake0');
  replay(kernel, { ACTION: 'add', ...disk.facts });
  await until('the disk', exists);

  const seen = { device: [] as number[], disk: [] as number[], volume: [] as number[] };
  for (let round = 1; round <= 30; round += 1) {
    const sectors = 2048 + round;
    const { generation } = (await state.get(pointerTo(blockDevices, 'fake0'))).spec;
    disk.resize(sectors);
    const beganMs = performance.now();
    replay(kernel, { ACTION: 'change', ...disk.facts });
    await until(
      'the device',
      async () => (await state.get(pointerTo(blockDevices, 'fake0'))).spec.generation > generation,
    );
    seen.device.push(performance.now() - beganMs);
    const size = sectors * 512;
    await until(
      'the disk',
      async () => Number((await state.get(pointerTo(disks, 'fake0'))).spec.size) === size,
    );
    seen.disk.push(performance.now() - beganMs);
    await until(
      'the volume',
      async () => Number((await state.get(pointerTo(discoveredVolumes, 'fake0'))).spec.size) === size,
    );
    seen.volume.push(performance.now() - beganMs);
  }
  for (const [name, values] of Object.entries(seen))
    t.diagnostic(`from the event to the ${name}: median ${median(values).toFixed(1)} ms of ${values.length}`);
});

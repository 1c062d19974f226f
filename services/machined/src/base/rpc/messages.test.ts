import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { completeServices } from './complete-services.ts';
import { timestampFromUnixMs } from './timestamp.ts';

test('completeServices() adds handlers for missing methods and keeps the given ones', async () => {
  const version = async () => ({ messages: [] });
  const services = completeServices({ 'machine.MachineService': { version } });
  const machine = services.find(
    ({ definition }) => 'fullName' in definition && definition.fullName === 'machine.MachineService',
  );
  assert.equal(machine?.implementation.version, version);
  await assert.rejects(machine?.implementation.reboot(), {
    kind: 'unimplemented',
    message: 'method /machine.MachineService/Reboot is not implemented',
  });
  await assert.rejects(machine?.implementation.copy().next(), {
    kind: 'unimplemented',
    message: 'method /machine.MachineService/Copy is not implemented',
  });
  const disks = services.find(
    ({ definition }) => 'fullName' in definition && definition.fullName === 'machine.LVMService',
  );
  await assert.rejects(disks?.implementation.volumeGroupRemove(), {
    kind: 'unimplemented',
    message:
      'method /machine.LVMService/VolumeGroupRemove is not implemented: needs logical volumes and RAID, which are not implemented',
  });
});

test('timestampFromUnixMs() keeps microseconds, before and after 1970', () => {
  assert.deepEqual(timestampFromUnixMs(undefined), { seconds: -62_135_596_800n, nanos: 0 });
  assert.deepEqual(timestampFromUnixMs(1500.25), { seconds: 1n, nanos: 500_250_000 });
  assert.deepEqual(timestampFromUnixMs(-1), { seconds: -1n, nanos: 999_000_000 });
  fc.assert(
    fc.property(fc.integer({ min: -1e15, max: 4e15 }), (unixMicroseconds) => {
      const { seconds, nanos } = timestampFromUnixMs(unixMicroseconds / 1000);
      assert.ok(nanos >= 0 && nanos < 1e9);
      const back = Number(seconds * 1_000_000n + BigInt(nanos / 1000));
      assert.ok(Math.abs(back - unixMicroseconds) <= 1, `${back}`);
    }),
  );
});

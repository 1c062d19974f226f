import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { bootDisk, chooseAccelerator, probeOptions, runGuest } from './choose-accelerator.ts';
import { emulatorProgram } from './emulator-options.ts';

function program(folder: string, text: string): string {
  const path = join(folder, 'emulator');
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

test('chooseAccelerator() uses KVM only if the guest answers', async () => {
  await using folder = await openTemporaryFolder();
  const device = '/dev/null';
  const choose = (text: string, timeoutMs = 60_000) =>
    chooseAccelerator({ program: program(folder.path, text), device, timeoutMs });
  assert.deepEqual(await choose('exit 33'), { accelerator: 'kvm', reason: undefined });
  assert.deepEqual(await choose('echo "qemu-system-x86_64: failed to set MSR" >&2; exit 1'), {
    accelerator: 'tcg',
    reason: 'a test guest failed: failed to set MSR',
  });
  // QEMU stays then.
  assert.deepEqual(await choose('echo "KVM internal error. Suberror: 1" >&2; exec sleep 600'), {
    accelerator: 'tcg',
    reason: 'KVM cannot run an instruction of a test guest',
  });
  assert.deepEqual(await choose('exec sleep 600', 100), {
    accelerator: 'tcg',
    reason: 'a test guest did not answer within 0.1 s',
  });
});

test('chooseAccelerator() emulates without the device, and does not start a guest', async () => {
  assert.deepEqual(await chooseAccelerator({ program: '/nonexistent', device: '/nonexistent/kvm' }), {
    accelerator: 'tcg',
    reason: 'there is no /nonexistent/kvm',
  });
});

test('chooseAccelerator() names the package when the emulator is missing', async () => {
  await assert.rejects(chooseAccelerator({ program: '/nonexistent', device: '/dev/null' }), {
    kind: 'failed-precondition',
    message: /install the package qemu-system-x86/,
  });
});

const hasEmulator = spawnSync(emulatorProgram, ['--version']).status === 0;
test('the test guest answers in emulation', {
  skip: hasEmulator ? false : `${emulatorProgram} is missing`,
}, async () => {
  await using folder = await openTemporaryFolder();
  const disk = join(folder.path, 'sector.raw');
  writeFileSync(disk, bootDisk());
  assert.equal(await runGuest(emulatorProgram, probeOptions(disk, 'tcg'), 120_000), undefined);
});

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { LoadedKernel } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import { SystemCallError } from '@nodewright/linux';
import { createNextKernel, type NextKernelInit } from './next-kernel.ts';

const root = mkdtempSync(join(tmpdir(), 'next-kernel-'));
after(() => rmSync(root, { recursive: true }));
let count = 0;

const ofSlot: LoadedKernel = {
  ...{ kernel: Buffer.from('kernel'), initramfs: Buffer.from('init') },
  commandLine: 'panic=10 nodewright.slot=A',
};

function openMachine(change: Partial<NextKernelInit> = {}) {
  count += 1;
  const folder = join(root, String(count), 'kexec');
  const done: unknown[] = [];
  const path = (bytes: Uint8Array) => Buffer.from(bytes).toString().replace('\0', '');
  const calls: NextKernelInit['calls'] = {
    async loadKernel(kernel, initramfs, commandLine) {
      const content = (descriptor: number) => readFileSync(descriptor, 'utf8');
      done.push([content(kernel), content(initramfs), path(commandLine)]);
    },
  };
  const lines: unknown[] = [];
  const next = createNextKernel({
    calls,
    async beforeRestart(canKexec, load) {
      done.push(`kexec: ${canKexec}`);
      if (canKexec) await load(ofSlot);
    },
    isSecureBootOn: () => false,
    read: () => undefined,
    folder,
    timeoutMs: 5000,
    log: {
      info: (...words: unknown[]) => void lines.push(words.at(-1)),
      warn: (facts: unknown) => void lines.push((facts as { reason: string }).reason),
    } as NextKernelInit['log'],
    ...change,
  });
  const load = async () => {
    await next.load(new AbortController().signal);
    assert.equal(existsSync(folder), false, 'nothing stays in memory');
    return lines.splice(0);
  };
  return { next, calls, done, load };
}

test('the kernel that the next start needs is loaded with its initramfs and its command line', async () => {
  const { done, load } = openMachine();
  assert.deepEqual(await load(), ['the next kernel is loaded']);
  assert.deepEqual(done, ['kexec: true', ['kernel', 'init', 'panic=10 nodewright.slot=A']]);
});

test('nothing is loaded under Secure Boot, and the next start is prepared all the same', async () => {
  const { done, load } = openMachine({ isSecureBootOn: () => true });
  assert.deepEqual([await load(), done], [['Secure Boot is on'], ['kexec: false']]);
});

test('a slot that cannot be read, or a kernel that forbids kexec, is the reason for a restart through the firmware', async () => {
  const damaged = openMachine({
    beforeRestart: () => Promise.reject(new Fault('data-loss', 'vmlinuz differs from its digest')),
  });
  assert.deepEqual([await damaged.load(), damaged.done], [['vmlinuz differs from its digest'], []]);
  const { calls, load } = openMachine();
  calls.loadKernel = async () => {
    throw new SystemCallError('kexec_file_load', 1);
  };
  assert.deepEqual(await load(), ['kexec_file_load: EPERM']);
});

test('a disk that does not answer delays the restart no longer than the timeout', async () => {
  const { load } = openMachine({ beforeRestart: () => new Promise(() => {}), timeoutMs: 50 });
  // A timer of its own: that of the timeout does not keep the process alive.
  const keepAlive = setTimeout(() => {}, 5000);
  assert.deepEqual(await load(), ['loading the kernel takes too long']);
  clearTimeout(keepAlive);
});

test('a kernel that was loaded before the preparation failed or took too long does not take over', async () => {
  const isLoaded: Partial<NextKernelInit> = { read: () => Buffer.from('1\n') };
  const failed = openMachine({
    ...isLoaded,
    async beforeRestart(_, load) {
      await load(ofSlot);
      throw new Fault('unavailable', 'the choice of the boot loader cannot be changed');
    },
  });
  await failed.load();
  assert.equal(failed.next.isLoaded(), false);
  const late = openMachine({
    ...{ ...isLoaded, timeoutMs: 50 },
    async beforeRestart(_, load) {
      await load(ofSlot);
      await new Promise(() => {});
    },
  });
  const keepAlive = setTimeout(() => {}, 5000);
  await late.load();
  clearTimeout(keepAlive);
  assert.equal(late.next.isLoaded(), false);
});

test('the kernel says whether a kernel is loaded', () => {
  const says = (value: string | undefined) =>
    openMachine({ read: () => (value === undefined ? value : Buffer.from(value)) }).next.isLoaded();
  assert.deepEqual(['1\n', '0\n', undefined].map(says), [true, false, false]);
});

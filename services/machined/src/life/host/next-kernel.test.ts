import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SystemCallError } from '@nodewright/linux';
import { createNextKernel, type NextKernelInit } from './next-kernel.ts';

const root = mkdtempSync(join(tmpdir(), 'next-kernel-'));
after(() => rmSync(root, { recursive: true }));
let count = 0;

/** The partition BOOT as a folder, which is mounted as a link. */
function openMachine(change: Partial<NextKernelInit> = {}) {
  count += 1;
  const place = join(root, String(count));
  const [slot, folder] = [join(place, 'BOOT', 'A'), join(place, 'kexec')];
  mkdirSync(slot, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(slot, name), text);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  write('vmlinuz', 'kernel');
  write('initramfs', 'init');
  write('SHA256SUMS', `${digest('kernel')}  vmlinuz\n${digest('init')}  initramfs\n`);
  const done: unknown[] = [];
  const path = (bytes: Uint8Array) => Buffer.from(bytes).toString().replace('\0', '');
  const calls: NextKernelInit['calls'] = {
    mount(source, target, type, flags) {
      assert.deepEqual([path(type), flags], ['ext4', 15]);
      rmSync(path(target), { recursive: true });
      symlinkSync(path(source), path(target));
    },
    detachMount(target) {
      unlinkSync(path(target));
      done.push('detach');
    },
    async loadKernel(kernel, initramfs, commandLine) {
      const content = (descriptor: number) => readFileSync(descriptor, 'utf8');
      done.push([content(kernel), content(initramfs), path(commandLine)]);
    },
  };
  const lines: unknown[] = [];
  const next = createNextKernel({
    calls,
    bootDevice: async () => join(place, 'BOOT'),
    isSecureBootOn: () => false,
    read: (file) => (file === '/proc/cmdline' ? Buffer.from('panic=10 nodewright.slot=A\n') : undefined),
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
  return { next, calls, done, load, write, slot };
}

test('the kernel of the slot is loaded with the command line of the running one', async () => {
  const { done, load } = openMachine();
  assert.deepEqual(await load(), ['the next kernel is loaded']);
  assert.deepEqual(done, ['detach', ['kernel', 'init', 'panic=10 nodewright.slot=A']]);
});

test('a kernel or an initramfs that differs from its digest is never loaded', async () => {
  const reasons = {
    vmlinuz: /vmlinuz differs from its digest in the list/,
    initramfs: /initramfs differs from its digest in the list/,
    SHA256SUMS: /the list of digests is damaged/,
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const { done, load, write } = openMachine();
    write(name, 'changed');
    assert.match(String(await load()), reason);
    assert.deepEqual(done, ['detach']);
  }
});

test('a file that is missing or too large is the reason for a restart through the firmware', async () => {
  const missing = openMachine();
  unlinkSync(join(missing.slot, 'initramfs'));
  assert.match(String(await missing.load()), /ENOENT/);
  const large = openMachine();
  truncateSync(join(large.slot, 'vmlinuz'), (64 << 20) + 1);
  assert.deepEqual(await large.load(), ['vmlinuz has 67108865 bytes, more than 67108864']);
  assert.deepEqual([missing.done, large.done], [['detach'], ['detach']]);
});

test('nothing is loaded under Secure Boot or without a partition BOOT', async () => {
  const secure = openMachine({ isSecureBootOn: () => true });
  assert.deepEqual([await secure.load(), secure.done], [['Secure Boot is on'], []]);
  const diskless = openMachine({ bootDevice: async () => undefined });
  assert.deepEqual([await diskless.load(), diskless.done], [['no disk has a partition BOOT'], []]);
});

test('a kernel that forbids kexec is the reason for a restart through the firmware', async () => {
  const { calls, load, done } = openMachine();
  calls.loadKernel = async () => {
    throw new SystemCallError('kexec_file_load', 1);
  };
  assert.deepEqual([await load(), done], [['kexec_file_load: EPERM'], ['detach']]);
});

test('a disk that does not answer delays the restart no longer than the timeout', async () => {
  const { load } = openMachine({ bootDevice: () => new Promise(() => {}), timeoutMs: 50 });
  // A timer of its own: that of the timeout does not keep the process alive.
  const keepAlive = setTimeout(() => {}, 5000);
  assert.deepEqual(await load(), ['loading the kernel takes too long']);
  clearTimeout(keepAlive);
});

test('the kernel says whether a kernel is loaded', () => {
  const says = (value: string | undefined) =>
    openMachine({ read: () => (value === undefined ? value : Buffer.from(value)) }).next.isLoaded();
  assert.deepEqual(['1\n', '0\n', undefined].map(says), [true, false, false]);
});

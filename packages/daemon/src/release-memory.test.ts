import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openReleaseMemory, releaseMemory } from './release-memory.ts';

const residentMb = () =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000;

test('releaseMemory() returns free blocks below a used one to the kernel', async () => {
  openReleaseMemory();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'major' }) => void;
  // Blocks small enough for the heap instead of mmap. The last one stays, so that glibc cannot shrink its
  // heap itself.
  const blocks: (Buffer | undefined)[] = Array.from({ length: 600 }, () => Buffer.alloc(100_000, 1));
  blocks.fill(undefined, 0, -1);
  collect({ type: 'major' });
  collect({ type: 'major' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = residentMb();
  releaseMemory();
  const after = residentMb();
  assert.ok(before - after > 20, `${before} MB before, ${after} MB after`);
  assert.equal(blocks.at(-1)?.at(-1), 1);
});

test('openReleaseMemory() drops the permission to call other native code', async () => {
  const program = `
    import { DynamicLibrary } from 'node:ffi';
    import { openReleaseMemory, releaseMemory } from ${JSON.stringify(join(import.meta.dirname, 'release-memory.ts'))};
    new DynamicLibrary('libc.so.6');
    openReleaseMemory();
    releaseMemory();
    try {
      new DynamicLibrary('libc.so.6');
      console.log('allowed');
    } catch (error) {
      console.log(error.code);
    }`;
  const flags = ['--permission', '--allow-ffi', `--allow-fs-read=${import.meta.dirname}`];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', program],
    { cwd: import.meta.dirname, timeout: 30_000 },
  );
  assert.equal(stdout, 'ERR_ACCESS_DENIED\n');
});

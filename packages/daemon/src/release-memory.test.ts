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

const packageFolder = import.meta.dirname;
const releaseMemoryPath = join(packageFolder, 'release-memory.ts');

/** Runs a program in a process of its own, and returns what it printed. */
async function run(flags: readonly string[], program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', program],
    { cwd: packageFolder, timeout: 60_000 },
  );
  return stdout;
}

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

test('releaseMemory() unmaps the binary of Node.js, which runs on', async () => {
  const program = `
    import { readFileSync } from 'node:fs';
    import { openReleaseMemory, releaseMemory } from ${JSON.stringify(releaseMemoryPath)};
    const ofFilesKb = () => Number(/^RssFile:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    openReleaseMemory();
    const before = ofFilesKb();
    releaseMemory();
    const after = ofFilesKb();
    const { createHash } = await import('node:crypto');
    console.log(JSON.stringify({ before, after, sum: createHash('sha256').update('x'.repeat(1e6)).digest('hex').length }));`;
  const flags = [
    '--permission',
    '--allow-ffi',
    `--allow-fs-read=${packageFolder}`,
    '--allow-fs-read=/proc/self/status',
  ];
  const { before, after, sum } = JSON.parse(
    await run([...flags, '--allow-fs-read=/proc/self/smaps'], program),
  );
  assert.ok(before - after > 10_000, `${before} kB before, ${after} kB after`);
  assert.equal(sum, 64);
  const without = JSON.parse(await run(flags, program));
  assert.ok(without.after >= without.before, 'without the permission to read the mappings, all stay');
});

test('openReleaseMemory() drops the permission to call other native code', async () => {
  const program = `
    import { DynamicLibrary } from 'node:ffi';
    import { openReleaseMemory, releaseMemory } from ${JSON.stringify(releaseMemoryPath)};
    new DynamicLibrary('libc.so.6');
    openReleaseMemory();
    releaseMemory();
    try {
      new DynamicLibrary('libc.so.6');
      console.log('allowed');
    } catch (error) {
      console.log(error.code);
    }`;
  const flags = ['--permission', '--allow-ffi', `--allow-fs-read=${packageFolder}`];
  assert.equal(await run(flags, program), 'ERR_ACCESS_DENIED\n');
});

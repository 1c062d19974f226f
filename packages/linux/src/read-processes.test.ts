import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandLineBytes } from './command-line.ts';
import { readPageSizeBytes } from './page-size.ts';
import { readProcesses } from './read-processes.ts';

const procRoot = mkdtempSync(join(tmpdir(), 'proc-'));
after(() => rmSync(procRoot, { recursive: true }));

function writeProcess(
  pid: number,
  init: { executable?: string; cmdline?: string; command?: string },
  root = procRoot,
): void {
  const folder = join(root, String(pid));
  mkdirSync(join(folder, 'attr'), { recursive: true });
  if (init.executable !== undefined) symlinkSync(init.executable, join(folder, 'exe'));
  writeFileSync(join(folder, 'cmdline'), init.cmdline ?? '');
  const columns = 'S 1 1 1 0 -1 0 0 0 0 0 150 25 0 0 20 0 3 0 99 4096000 10 0';
  writeFileSync(join(folder, 'stat'), `${pid} (${init.command ?? 'x'}) ${columns}\n`);
  writeFileSync(join(folder, 'attr', 'current'), 'system_u:system_r:apid_t:s0\0');
}

test('readProcesses() skips kernel threads, zombies and other entries, and reads the rest', async () => {
  writeProcess(2, { command: 'kthreadd' });
  writeProcess(3, { executable: '/bin/dead' });
  writeProcess(40, { executable: '/usr/bin/node', cmdline: 'node\0main.js\0--flag\0', command: 'node' });
  mkdirSync(join(procRoot, 'sys'));
  assert.deepEqual(await readProcesses({ procRoot, pageSizeBytes: 65536 }), [
    {
      pid: 40,
      parentPid: 1,
      state: 'S',
      threads: 3,
      cpuTimeSeconds: 1.75,
      virtualMemoryBytes: 4096000n,
      residentMemoryBytes: 655360n,
      command: 'node',
      executable: '/usr/bin/node',
      args: 'node main.js --flag',
      label: 'system_u:system_r:apid_t:s0',
    },
  ]);
});

test('readProcesses() lists processes by number, as the kernel does', async () => {
  const processes = await readProcesses({ pageSizeBytes: readPageSizeBytes() });
  const pids = processes.map(({ pid }) => pid);
  assert.deepEqual(
    pids,
    pids.toSorted((a, b) => a - b),
  );
});

test('readProcesses() finds this process and its child among the real ones', async () => {
  const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    await once(child, 'spawn');
    const processes = await readProcesses({ pageSizeBytes: readPageSizeBytes() });
    const self = processes.find((info) => info.pid === process.pid);
    assert.equal(self?.executable, readlinkSync('/proc/self/exe'));
    assert.ok((self?.residentMemoryBytes ?? 0n) > 10_000_000n);
    assert.equal(processes.find((info) => info.pid === child.pid)?.parentPid, process.pid);
  } finally {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  }
});

test('readProcesses() stops when its signal aborts', async () => {
  for (let pid = 1000; pid < 1100; pid++) writeProcess(pid, { executable: '/bin/x', cmdline: 'x' });
  const controller = new AbortController();
  const reading = readProcesses({ procRoot, pageSizeBytes: 4096, signal: controller.signal });
  controller.abort();
  await assert.rejects(reading, { name: 'AbortError' });
});

/** The command lines of processes, each as the kernel shows it, by the number of the process. */
async function commandLinesOf(lines: Record<number, string>): Promise<Record<number, string>> {
  const root = mkdtempSync(join(tmpdir(), 'proc-'));
  try {
    for (const [pid, cmdline] of Object.entries(lines))
      writeProcess(Number(pid), { executable: '/bin/x', cmdline }, root);
    const found = await readProcesses({ procRoot: root, pageSizeBytes: 4096 });
    return Object.fromEntries(found.map(({ pid, args }) => [pid, args]));
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('readProcesses() cuts a long command line between two words, so that no part of a password is left', async () => {
  const words = 'word\0'.repeat(commandLineBytes / 5);
  const password = `${'x'.repeat(commandLineBytes - 30)}\0http://user:${'secret'.repeat(5)}@proxy\0`;
  const found = await commandLinesOf({
    1: 'w'.repeat(commandLineBytes),
    2: `${'w'.repeat(commandLineBytes)}\0`,
    3: `${words}more`,
    4: password,
    5: password.replace('\0http', '"http'),
    6: `http://user:${'s'.repeat(commandLineBytes)}@proxy`,
    7: '€'.repeat(commandLineBytes),
  });
  assert.deepEqual(found, {
    1: 'w'.repeat(commandLineBytes),
    2: `${'w'.repeat(commandLineBytes)}…`,
    3: `${'word '.repeat(Math.floor(commandLineBytes / 5))}…`,
    4: `${'x'.repeat(commandLineBytes - 30)} …`,
    5: `${'x'.repeat(commandLineBytes - 30)}"…`,
    6: 'http://…',
    7: `${'€'.repeat(Math.floor(commandLineBytes / 3))}…`,
  });
});

test('readProcesses() reads a command line of empty arguments in the time of any other', async () => {
  const empty = '\0'.repeat(100_000);
  const lines = { 1: `x${empty}x`, 2: empty, 3: `${empty}x`, 4: `x${'\0'.repeat(100)}`, 5: '\0\0' };
  const before = process.threadCpuUsage();
  const found = await commandLinesOf(lines);
  const { user, system } = process.threadCpuUsage(before);
  // With a time that grows with the square of the length this takes half a minute.
  assert.ok(user + system < 5_000_000, `${user + system} us`);
  assert.deepEqual(found, {
    1: `x${' '.repeat(commandLineBytes - 1)}…`,
    2: `${' '.repeat(commandLineBytes)}…`,
    3: `${' '.repeat(commandLineBytes)}…`,
    4: 'x',
  });
});

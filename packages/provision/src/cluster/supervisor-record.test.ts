import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { clusterFolder } from './cluster-folder.ts';
import { holdSupervisorLock } from './supervisor-record.ts';

async function openCluster() {
  const home = await openTemporaryFolder();
  const folder = join(home.path, 'lab');
  await mkdir(folder, { mode: 0o700 });
  return { path: home.path, folder, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

type Cluster = Awaited<ReturnType<typeof openCluster>>;

const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));
/** Takes the lock as a supervisor does, once it is told to, and kills what an earlier supervisor left. */
const supervise = `
  const fs = require('node:fs');
  const folder = process.argv.at(-1);
  (async () => {
    const { holdSupervisorLock } = await import(${module('supervisor-record.ts')});
    const { clusterFolder } = await import(${module('cluster-folder.ts')});
    const { killClusterProcesses } = await import(${module('cluster-processes.ts')});
    process.stdout.write('ready\\n');
    process.stdin.once('data', async () => {
      try {
        const lock = await holdSupervisorLock(clusterFolder(folder), 'lab', () => ({ pid: process.pid }));
        if (process.argv.includes('--kill')) await killClusterProcesses(clusterFolder(folder), 5_000);
        process.stdout.write('held\\n');
        process.stdin.once('end', () => lock[Symbol.asyncDispose]());
      } catch (error) {
        process.stdout.write(error.message + '\\n');
      }
    });
  })();`;

async function startSupervisor(
  cluster: Cluster,
  { wrapper = [] as string[], options = [] as string[], text = supervise } = {},
) {
  const program = join(cluster.path, 'process-supervisor.cjs');
  await writeFile(program, text);
  const [command = '', ...args] = [
    ...wrapper,
    process.execPath,
    program,
    ...options,
    '--folder',
    cluster.folder,
  ];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: AsyncIterator<string> = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready\n');
  const exited = once(child, 'exit');
  return {
    child,
    async take(): Promise<string> {
      child.stdin.write('take\n');
      return (await lines.next()).value.trim();
    },
    async end() {
      child.stdin.end();
      return (await exited)[0];
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

test('a supervisor starts under a program that runs it, and leaves that program alone', async () => {
  await using cluster = await openCluster();
  await using supervisor = await startSupervisor(cluster, {
    wrapper: ['timeout', '500'],
    options: ['--kill'],
  });
  assert.equal(await supervisor.take(), 'held');
  assert.equal(await supervisor.end(), 0);
});

test('of two supervisors that start at once, one gets the lock', async () => {
  await using cluster = await openCluster();
  await using first = await startSupervisor(cluster);
  await using second = await startSupervisor(cluster);
  const [held = '', refused = ''] = (await Promise.all([first.take(), second.take()])).sort().reverse();
  assert.equal(held, 'held');
  assert.match(refused, /^a supervisor already runs cluster "lab" \(pid (\d+|unknown)\)$/);
});

test('a supervisor of an earlier version keeps the cluster by its abstract socket', async () => {
  await using cluster = await openCluster();
  const name = `nodewright/supervise/${createHash('sha256').update(cluster.folder).digest('hex')}`;
  const text = `
    require('node:net').createServer().listen('\\0${name}', () => process.stdout.write('ready\\n'));`;
  await using earlier = await startSupervisor(cluster, { text });
  await assert.rejects(
    holdSupervisorLock(clusterFolder(cluster.folder), 'lab', () => ({ pid: process.pid })),
    { kind: 'already-exists', message: `a supervisor already runs cluster "lab" (pid ${earlier.child.pid})` },
  );
});

// What a pod controls (its processes, logs, files and file systems) never keeps machined from serving others for long.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { noHangingMounts, openHangingMounts } from './harness/hanging-mounts.ts';
import { startNode } from './harness/node-under-test.ts';

/** The longest turn of machined's event loop, in ms of processor time: the median of some rounds, because of the garbage collector. */
const longestStallMs = 50;
const rounds = 3;
const processes = 300;

/** Many processes, and some with the longest command line that a program may have: empty arguments, and one long text. */
async function startProcesses(scope: AsyncDisposableStack): Promise<void> {
  const many = 'for i in $(seq "$0"); do sleep 1000 & done; echo ready; wait';
  const commands: [string, string[]][] = [
    ['/bin/sh', ['-c', many, String(processes)]],
    ...Array.from({ length: 8 }, (): [string, string[]] => [
      '/bin/sh',
      ['-c', 'echo ready; sleep 1000; :', ...Array<string>(40_000).fill('')],
    ]),
    ['/bin/sh', ['-c', 'echo ready; sleep 1000; :', 'a://b:'.repeat(20_000)]],
  ];
  for (const [file, words] of commands) {
    const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    scope.defer(() => void process.kill(-(child.pid as number), 'SIGKILL'));
    await once(child.stdout as NodeJS.EventEmitter, 'data');
  }
}

test('processes, logs, files and mounts of a hostile pod stall the event loop of machined for 50 ms at most', {
  skip: noHangingMounts,
}, async (context) => {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const data = join(folder, 'root', 'data');
  for (const name of ['dead', 'partial', 'many']) await mkdir(join(data, name), { recursive: true });
  for (let index = 0; index < 1500; index += 1) {
    await symlink('x'.repeat(4000), join(data, 'many', `${index}-${'n'.repeat(200)}`));
  }
  await writeFile(join(data, 'long'), 'a://b:'.repeat(2_000_000));
  const mounts = await openHangingMounts({ dead: [join(data, 'dead')], partial: [join(data, 'partial')] });
  const probe = join(folder, 'probe');
  const env = {
    NODE_OPTIONS: `--require=${import.meta.dirname}/harness/stall-probe.cjs`,
    STALL_PROBE: probe,
  };
  const node = await startNode({ folder, through: mounts.enter, env });
  const longestTurnMs = async () => Number(await text(createConnection(probe))) / 1000;
  scope.use(node);
  scope.use(mounts);
  await startProcesses(scope);
  const machine = node.client(MachineServiceDefinition, 'os:admin');

  const drain = async (stream: AsyncIterable<unknown>) => {
    for await (const _ of stream);
  };
  const work: Record<string, () => Promise<unknown>> = {
    processes: () => machine.processes({}),
    mounts: () => machine.mounts({}),
    list: () => drain(machine.list({ root: '/data', recurse: true })),
    usage: () => drain(machine.diskUsage({ paths: ['/data'], all: true })),
    read: () => drain(machine.read({ path: '/data/long' })),
    copy: () => drain(machine.copy({ rootPath: '/data' })),
    'list of /proc': () => drain(machine.list({ root: '/proc', recurse: true, recursionDepth: 2 })),
    logs: () => drain(machine.logs({ namespace: 'system', id: 'machined', tailLines: -1 })),
  };
  const stalls: Record<string, number> = {};
  for (const [name, call] of Object.entries(work)) {
    // In the first round code is compiled, and what hangs is waited for.
    await call().catch(() => {});
    const longest: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await longestTurnMs();
      await call().catch(() => {});
      longest.push(await longestTurnMs());
    }
    stalls[name] = longest.sort((a, b) => a - b)[rounds >> 1] as number;
  }
  context.diagnostic(JSON.stringify(stalls));
  for (const [name, ms] of Object.entries(stalls)) assert.ok(ms <= longestStallMs, `${name}: ${ms} ms`);
});

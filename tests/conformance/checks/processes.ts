import assert from 'node:assert/strict';
import type { ProcessInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { checksOf, Skip } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { machine } from '../wire/methods.ts';
import { only } from './expect.ts';

/** Characters of a command line which no node may cut. */
const longCommandLine = 4096;

async function processesOf({ admin }: Subject): Promise<ProcessInfo[]> {
  const { processes } = only(await admin.unary(machine.processes, {}));
  assert.ok(processes.length > 0, 'no process');
  return processes;
}

/** Fields of /proc/<pid>/stat from the third on: the second may hold spaces. */
async function statOf(subject: Subject, pid: number): Promise<string[] | undefined> {
  const file = await subject.readFile(`/proc/${pid}/stat`).catch((error: unknown) => {
    if (error instanceof Skip && error.message.includes('Read')) throw error;
    return undefined;
  });
  return file
    ?.toString()
    .replace(/^.*\) /s, '')
    .trim()
    .split(' ');
}

const field = { state: 0, parent: 1, userTicks: 11, systemTicks: 12, threads: 17, virtualBytes: 20 } as const;

const looks = 10;

function hasNumbersOf(
  { ppid, threads, virtualMemory, cpuTime }: ProcessInfo,
  stat: readonly string[],
): boolean {
  const ticks = Number(stat[field.userTicks]) + Number(stat[field.systemTicks]);
  return (
    Number(stat[field.parent]) === ppid &&
    Number(stat[field.threads]) === threads &&
    BigInt(stat[field.virtualBytes] ?? 0) === virtualMemory &&
    Math.abs(ticks / 100 - cpuTime) < 2
  );
}

export const processChecks = checksOf(machine.processes, {
  'processes.plain': [
    'each process has a unique pid, a letter for its state, at least one thread, and sizes in bytes',
    async (subject) => {
      const processes = await processesOf(subject);
      assert.equal(new Set(processes.map(({ pid }) => pid)).size, processes.length);
      for (const { pid, state, threads, cpuTime, residentMemory, virtualMemory } of processes) {
        assert.ok(pid > 0);
        assert.match(state, /^[A-Za-z]$/);
        assert.ok(threads >= 1, `${pid} has ${threads} threads`);
        assert.ok(Number.isFinite(cpuTime) && cpuTime >= 0, `${pid} took ${cpuTime} s`);
        assert.equal(residentMemory % 4096n, 0n, `${pid} holds ${residentMemory} bytes`);
        assert.ok(virtualMemory >= residentMemory, `${pid}: virtual memory is smaller than resident memory`);
      }
    },
  ],
  'processes.user-space': [
    'kernel threads and zombies are left out: every process has an executable and arguments',
    async (subject) => {
      const bare = (await processesOf(subject)).filter(
        ({ executable, args }) => executable === '' || args === '',
      );
      assert.deepEqual(
        bare.map(({ pid, command }) => `${pid} ${command}`),
        [],
      );
    },
  ],
  'processes.numbers': [
    'parent, threads, CPU seconds and virtual bytes equal those in /proc/<pid>/stat',
    async (subject) => {
      // The server process may have grown between the requests, and in a container it is the only process.
      for (let look = 0; look < looks; look++) {
        for (const process of (await processesOf(subject)).slice(0, 12)) {
          const stat = await statOf(subject, process.pid);
          if (stat !== undefined && hasNumbersOf(process, stat)) return;
        }
      }
      assert.fail('for every process, the numbers differ from those in its stat file');
    },
  ],
  'processes.words': [
    'command is comm, executable is a path, and args is the command line joined by spaces',
    async (subject) => {
      for (const { pid, command, executable, args } of (await processesOf(subject)).slice(0, 5)) {
        assert.ok(executable.startsWith('/'), `the executable of ${pid} is "${executable}"`);
        const line = await subject.readFile(`/proc/${pid}/cmdline`).catch(() => undefined);
        const comm = await subject.readFile(`/proc/${pid}/comm`).catch(() => undefined);
        if (line === undefined || comm === undefined) continue;
        assert.equal(command, comm.toString().trimEnd());
        const words = line.toString().replaceAll('\0', ' ').trim();
        // A node may cut long command lines, and says so.
        const shown = args.trim();
        if (words.length >= longCommandLine && shown.endsWith('…'))
          assert.ok(
            words.startsWith(shown.slice(0, -1)),
            `the command line of ${pid} begins with other words`,
          );
        else assert.equal(shown, words);
        return;
      }
      throw new Skip('no process ran long enough, or its files cannot be read');
    },
  ],
});

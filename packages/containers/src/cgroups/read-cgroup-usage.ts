import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cgroupFolder, parseCgroupMounts, parseCgroupPlaces, parseFlatKeys } from './parse-cgroup-files.ts';

export interface CgroupUsage {
  /**
   * Version 1: without reclaimable page cache. Version 2: the kernel's value; where the controller for memory is not in this
   * hierarchy, the sum of what the processes hold without files, in which memory that they share counts several times.
   */
  readonly memoryBytes: number;
  readonly cpuNanoseconds: bigint;
}

/**
 * Memory and processor time of the cgroup of a process, for either version. Source: Linux,
 * Documentation/admin-guide/cgroup-v1 and cgroup-v2; Talos v1.14: Stats.
 *
 * @param procFolder where proc is mounted, with that process and this one in it
 * @throws the system's error (`ENOENT`, `ESRCH`) when the process has exited
 */
export async function readCgroupUsage(pid: number, procFolder = '/proc'): Promise<CgroupUsage> {
  const [places, mounts] = await Promise.all([
    readFile(join(procFolder, String(pid), 'cgroup'), 'utf8').then(parseCgroupPlaces),
    readFile(join(procFolder, 'self', 'mountinfo'), 'utf8').then(parseCgroupMounts),
  ]);
  const memory = cgroupFolder('memory', places, mounts);
  const cpu = cgroupFolder('cpuacct', places, mounts);
  const [memoryBytes, cpuNanoseconds] = await Promise.all([
    memory === undefined ? 0 : readMemory(memory.version, memory.path, procFolder),
    cpu === undefined ? 0n : readCpu(cpu.version, cpu.path),
  ]);
  return { memoryBytes, cpuNanoseconds };
}

/**
 * Memory and processor time of a cgroup of version 2, like `readCgroupUsage()`.
 *
 * @throws the system's error (`ENOENT`) when there is no such cgroup
 */
export async function readCgroupFolder(folder: string): Promise<CgroupUsage> {
  const [memoryBytes, cpuNanoseconds] = await Promise.all([
    readMemory(2, folder, '/proc'),
    readCpu(2, folder),
  ]);
  return { memoryBytes, cpuNanoseconds };
}

async function readMemory(version: 1 | 2, folder: string, procFolder: string): Promise<number> {
  if (version === 2) {
    const current = await readNumber(join(folder, 'memory.current')).catch(() => undefined);
    return current === undefined ? memoryOfProcesses(folder, procFolder) : Number(current);
  }
  const [usage, stat] = await Promise.all([
    readNumber(join(folder, 'memory.usage_in_bytes')),
    readFile(join(folder, 'memory.stat'), 'utf8').then(parseFlatKeys),
  ]);
  const inactive = stat.get('total_inactive_file') ?? 0n;
  return Number(inactive < usage ? usage - inactive : 0n);
}

/** Without the pages of files, which the kernel can take back. What ends meanwhile counts nothing. */
async function memoryOfProcesses(folder: string, procFolder: string): Promise<number> {
  const pids = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => undefined);
  if (pids === undefined) return 0;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const parts = await Promise.all([
    ...pids
      .split('\n')
      .filter((pid) => pid !== '')
      .map((pid) => residentBytes(join(procFolder, pid, 'status'))),
    ...below.map((path) => memoryOfProcesses(path, procFolder)),
  ]);
  return parts.reduce((sum, bytes) => sum + bytes, 0);
}

/** Source: proc(5), status. */
async function residentBytes(statusPath: string): Promise<number> {
  const text = await readFile(statusPath, 'utf8').catch(() => '');
  const found = text.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return [...found].reduce((sum, [, kibibytes]) => sum + Number(kibibytes) * 1024, 0);
}

async function readCpu(version: 1 | 2, folder: string): Promise<bigint> {
  if (version === 1) return readNumber(join(folder, 'cpuacct.usage'));
  const stat = parseFlatKeys(await readFile(join(folder, 'cpu.stat'), 'utf8'));
  return (stat.get('usage_usec') ?? 0n) * 1000n;
}

async function readNumber(path: string): Promise<bigint> {
  return BigInt((await readFile(path, 'utf8')).trim());
}

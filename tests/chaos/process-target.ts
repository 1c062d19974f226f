import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessInfo, readProcesses } from '@nodewright/linux';
import type { ClusterShape } from '../cluster/cluster.ts';
import { openProcessCluster } from '../cluster/process/process-cluster.ts';
import type { ChaosTarget } from './chaos-target.ts';
import { killIfThere } from './kill-if-there.ts';
import type { Victim } from './planned-fault.ts';
import { zombiesOf } from './zombies.ts';

const etcdPort = 2379;

/** A cluster of processes for this run. */
export async function openProcessTarget(shape: ClusterShape): Promise<ChaosTarget> {
  const cluster = await openProcessCluster(shape, { name: 'chaos', etcd: true });
  const { view } = cluster;
  const rootOf = (node: string) => join(view.folder, 'nodes', node);
  const find = async (node: string, victim: Victim): Promise<ProcessInfo[]> => {
    const isVictim = isProgramOf(rootOf(node), victim);
    return (await readProcesses({ pageSizeBytes: 4096 })).filter(isVictim);
  };
  return {
    cluster,
    view,
    rootOf,
    judgesTime: true,
    etcdEndpoints: cluster.controlPlanes.map(({ address }) => `${address}:${etcdPort}`),
    instancesOf: async (node, victim) => (await find(node, victim)).map(({ pid }) => String(pid)),
    async kill(node, victim) {
      const found = await find(node, victim);
      // All programs of a node are in the process group of its machined.
      for (const { pid } of found) killIfThere(victim === 'node' ? -pid : pid);
      return found.length > 0;
    },
    async strays() {
      const processes = await readProcesses({ pageSizeBytes: 4096 });
      const supervisorPid = (await cluster.show()).supervisor?.pid;
      const own = processes.filter((each) => isOf(view.folder, each));
      const orphans = own.filter(({ pid }) => !descendsFrom(processes, pid, supervisorPid));
      return [
        ...orphans.map(({ pid, args }) => `orphan ${pid}: ${args}`),
        ...zombiesOf(new Set([...own.map(({ pid }) => pid), ...(supervisorPid ? [supervisorPid] : [])])),
      ];
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

function isProgramOf(root: string, victim: Victim): (process: ProcessInfo) => boolean {
  const program = victim === 'node' ? 'machined' : victim;
  const isProgram = ({ command, args }: ProcessInfo) =>
    program === 'etcd' ? command === 'etcd' : args.includes(`/${program}.cjs `);
  return (process) => isProgram(process) && isOf(root, process);
}

/** Whether the process has its working directory in the folder, or names the folder in its command line. */
function isOf(folder: string, { pid, args }: ProcessInfo): boolean {
  return args.includes(folder) || workingDirectoryOf(pid).startsWith(folder);
}

function descendsFrom(processes: readonly ProcessInfo[], pid: number, ancestor: number | undefined): boolean {
  const parents = new Map(processes.map((each) => [each.pid, each.parentPid]));
  let at: number | undefined = pid;
  while (at !== undefined && at > 1) {
    if (at === ancestor) return true;
    at = parents.get(at);
  }
  return false;
}

/** Empty when the process has exited. */
function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

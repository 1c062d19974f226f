import { posix } from 'node:path';
import type { NodeClient } from '@nodewright/client';
import type { ContainerInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { type Fault, faultFrom } from '@nodewright/fault';
import { onlyMessage } from '../nodes/only-message.ts';
import type { Cgroup } from './cgroup-tree.ts';
import type { NodeNames } from './presets.ts';

const blockDevices = '/sys/dev/block';
const driverCri = 1;

export interface NamesOfNode extends NodeNames {
  /** Names of pods and containers by the name of their control group. */
  readonly containers: ReadonlyMap<string, string>;
}

/** Queries the names of processes, devices and containers. A failed query calls `onProblem` and yields no names. */
export async function queryNames(
  node: NodeClient,
  { resolveCri, signal }: { readonly resolveCri: boolean; readonly signal: AbortSignal },
  onProblem: (what: string, fault: Fault) => void,
): Promise<NamesOfNode> {
  const orNone = async <T>(what: string, query: Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await query;
    } catch (error) {
      onProblem(what, faultFrom(error));
      return [];
    }
  };
  const processes = async () => onlyMessage(await node.machine.processes({}, { signal })).processes;
  const devices = () => Array.fromAsync(node.machine.list({ root: blockDevices }, { signal }));
  const containers = async () =>
    onlyMessage(await node.machine.containers({ namespace: 'k8s.io', driver: driverCri }, { signal }))
      .containers;
  const [ofProcesses, ofDevices, ofContainers] = await Promise.all([
    orNone('processes', processes()),
    orNone('names of devices', devices()),
    resolveCri ? orNone('names of containers', containers()) : [],
  ]);
  return {
    processes: new Map(ofProcesses.map(({ pid, command }) => [String(pid), command])),
    devices: new Map(
      ofDevices.flatMap(({ relativeName, link }) =>
        link === '' ? [] : [[relativeName, posix.basename(link)]],
      ),
    ),
    containers: containerNames(ofContainers),
  };
}

/** Names of pods and containers by control group name. Source: Talos v1.14: cgroups, name resolution. */
export function containerNames(
  containers: readonly Pick<ContainerInfo, 'internalId' | 'name' | 'podId' | 'uid'>[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const { internalId, name, podId, uid } of containers) {
    if (uid !== '') names.set(`pod${uid}`, podId);
    if (internalId !== '') names.set(internalId, podId === name ? 'sandbox' : name);
  }
  return names;
}

/** The name of a group in the tree: that of its pod or container, or else its own. */
export const groupName =
  (containers: ReadonlyMap<string, string>) =>
  ({ name }: Cgroup): string =>
    containers.get(name) ?? name;

import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { type Detached, startDetached } from '../cluster/start-detached.ts';
import { daemonEnvironment } from '../domain/daemon-environment.ts';
import { parseSubnet, type Subnet, subnetCidr } from '../domain/subnet.ts';
import type { ProcessPrograms } from './programs.ts';

export interface SupervisorStart {
  readonly folder: ClusterFolder;
  readonly candidates: readonly Subnet[];
  readonly programs: ProcessPrograms;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** A supervisor and the nodes that it started. Until it is released, it ends when this process ends. */
export interface StartedSupervisor extends Pick<Detached, 'pid' | 'release'>, AsyncDisposable {
  /** The address range that it has claimed for the cluster. */
  readonly subnet: Subnet;
  /** Starts these nodes, whose configuration must have been written before. */
  startNodes(names: readonly string[]): Promise<void>;
}

/** Starts the detached supervisor of a cluster and waits until it has claimed the first free candidate. */
export async function startSupervisor(start: SupervisorStart): Promise<StartedSupervisor> {
  const { folder, candidates, programs, environment, signal } = start;
  const supervisor = await startDetached({
    folder,
    nodeBinary: programs.nodeBinary,
    program: programs.supervisor,
    args: [
      ...['--folder', folder.path],
      ...['--cidrs', candidates.map(subnetCidr).join(',')],
      ...['--services-dir', programs.servicesFolder],
      ...['--node-binary', programs.nodeBinary],
    ],
    environment: daemonEnvironment(environment),
    signal,
  });
  return {
    pid: supervisor.pid,
    subnet: parseSubnet(supervisor.report.cidr),
    startNodes: (nodes) => supervisor.order({ kind: 'start', nodes }),
    release: () => supervisor.release(),
    [Symbol.asyncDispose]: () => supervisor[Symbol.asyncDispose](),
  };
}

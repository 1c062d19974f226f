import { kubernetesPorts } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { ClusterState } from '../domain/cluster-state.ts';
import { attempts } from './attempts.ts';
import { endpointsOf } from './await-nodes.ts';
import { awaitWorkloads } from './await-workloads.ts';
import type { NodeLauncher } from './cluster-kind.ts';
import type { Creation } from './creation.ts';
import { waitTogether } from './wait-together.ts';
import { writePrivateFile } from './write-private-file.ts';

export interface ClusterKubernetes {
  readonly creation: Creation;
  readonly launcher: Pick<NodeLauncher, 'isWiped'>;
  readonly state: ClusterState;
  readonly talosconfig: string;
}

/** Allows for a slow machine: the servers start together, each with half a minute of processor time. */
const readyTimeoutMs = 180_000;
/** An emulated machine needs three to five minutes where others need 30 s, for this and for its workloads. */
const emulatedTimeoutMs = 900_000;

/**
 * Resolves when the API servers of all control planes are ready and the kubeconfig of the cluster is in its folder, and where
 * nodes run kubelets when these are Ready. Does nothing for a cluster without Kubernetes, or one whose etcd the user wants to bootstrap later.
 */
export async function awaitKubernetes({
  creation,
  launcher,
  state,
  talosconfig,
}: ClusterKubernetes): Promise<void> {
  if (state.kubernetes === undefined || !creation.request.bootstrap) return;
  const { parts, folder, progress, signal, milestones } = creation;
  // A node that was reset waits for a configuration.
  const endpoints = endpointsOf(talosconfig);
  const controlPlanes = state.nodes
    .filter(({ type }) => type === 'controlplane')
    .map(({ name, address }, index) => ({
      ...{ name, address, endpoint: endpoints[index] ?? address },
      server: serverOf(state, address),
    }))
    .filter(({ name }) => !launcher.isWiped(name));
  const [first] = controlPlanes;
  if (first === undefined) return;
  const timeoutMs = state.machine === undefined ? undefined : emulatedTimeoutMs;
  await using probe = await parts.openKubernetesProbe(talosconfig);
  const deadline = AbortSignal.timeout(timeoutMs ?? readyTimeoutMs);
  const kubeconfig = await progress.step('kubeconfig', () => probe.kubeconfig(first.endpoint, signal));
  await writePrivateFile(folder.kubeconfig, kubeconfig);
  await waitTogether(controlPlanes, signal, ({ name, address, server }, wanted) =>
    progress.step(`${name} serves Kubernetes`, async (say) => {
      const isReady = async (attempt: AbortSignal) => {
        await probe.assertReady(kubeconfig, server, attempt);
        return true;
      };
      const isOver = await attempts(wanted, deadline, isReady, undefined, say);
      if (isOver.done) return;
      throw new Fault(
        'deadline-exceeded',
        `the API server of ${name} is not ready: ${isOver.reason} (see: talosctl -n ${address} logs kube-apiserver)`,
      );
    }),
  );
  milestones.kubernetes = { servers: controlPlanes.length, at: performance.now() };
  // Nodes of processes run no kubelet.
  if (state.provisioner === 'process') return;
  const nodes = state.nodes.map(({ name }) => name).filter((name) => !launcher.isWiped(name));
  await awaitWorkloads({ creation, probe, kubeconfig, server: first.server, nodes, timeoutMs });
}

/** URL of the API server of a control plane, for this host. */
function serverOf({ machine, kubernetesEndpoint = '' }: ClusterState, address: string): string {
  // The network of a machine is inside its emulator, and only its ports are here.
  return machine === undefined ? `https://${address}:${kubernetesPorts.apiServer}` : kubernetesEndpoint;
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubernetesNodeImage } from '@nodewright/build';
import { parseImageReference } from '@nodewright/oci';
import { runDocker } from '@nodewright/provision/engine';
import type { OciImage } from '../../rootfs/image/oci-image.ts';
import { openDockerCluster } from '../cluster/docker/docker-cluster.ts';
import { checkout, runTalosctl, type TalosctlResult } from '../cluster/run-talosctl.ts';
import { serveImage } from './serve-image.ts';

/** A cluster on which cases run. */
export interface Target extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Runs talosctl for all nodes, and returns what it printed. */
  talosctl(...words: string[]): Promise<string>;
}

/** Most cases need several nodes that take pods, and a second control plane would only cost memory and processor time. */
const shape = { controlPlanes: 1, workers: 3 };

/**
 * These end when they cannot renew their lease in 10 s, which happens while other programs keep the processors busy. Without another
 * control plane nothing needs the lease.
 */
const withoutLeases = ['KubeControllerManagerConfig', 'KubeSchedulerConfig'].flatMap((kind) => [
  '--config-patch-controlplanes',
  JSON.stringify({ apiVersion: 'v1alpha1', kind, extraArgs: { 'leader-elect': 'false' } }),
]);

/**
 * Makes a cluster of containers, which is destroyed at the end. Its nodes can pull the image from this machine: pods of some cases ask the
 * registry for it although their node has it.
 *
 * @param name registry, repository and tag of the image
 */
export async function openOwnTarget(name: string, image: OciImage): Promise<Target> {
  await using scope = new AsyncDisposableStack();
  const cluster = scope.use(
    await openDockerCluster(shape, {
      name: `e2e-kubernetes-${process.pid}`,
      flags: ['--node-image', kubernetesNodeImage, '--kubernetes', ...withoutLeases],
      timeoutMs: 600_000,
    }),
  );
  const nodes = cluster.nodes.map((node) => node.name).join();
  const talosctl = async (...words: string[]) => textOf(await cluster.talosctl('-n', nodes, ...words));
  const gateway = '{{range .IPAM.Config}}{{.Gateway}}{{end}}';
  const address = (await runDocker(['network', 'inspect', '--format', gateway, cluster.name])).trim();
  const server = scope.use(await serveImage(name, image, address));
  const mirror = {
    ...{ apiVersion: 'v1alpha1', kind: 'RegistryMirrorConfig' },
    ...{ name: parseImageReference(name).registry, endpoints: [{ url: server.url }] },
  };
  await talosctl('patch', 'mc', '--mode', 'no-reboot', '--patch', JSON.stringify(mirror));
  const kept = scope.move();
  return {
    kubeconfig: join(cluster.view.folder, 'kubeconfig'),
    talosctl,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * Uses a cluster of `make up KUBERNETES=1`. At the end the namespaces of interrupted cases are deleted, and the image of agnhost.
 *
 * @param image reference of the image that the run gives to the nodes
 * @throws Error of one line when there is no such cluster, or it does not run Kubernetes
 */
export async function openExistingTarget(name: string, kubectl: string, image: string): Promise<Target> {
  const home = join(checkout, '_out', 'talos');
  const kubeconfig = join(home, 'clusters', name, 'kubeconfig');
  if (!existsSync(kubeconfig))
    throw new Error(`CLUSTER=${name} is no cluster with Kubernetes: make up KUBERNETES=1 cluster=${name}`);
  const cli = { home, environment: { TALOSCONFIG: join(home, 'clusters', name, 'talosconfig') } };
  const { stdout } = await runTalosctl(['cluster', 'show', '--name', name, '-o', 'json'], cli);
  const { nodes } = JSON.parse(stdout) as { readonly nodes: readonly { readonly name: string }[] };
  const all = nodes.map((node) => node.name).join();
  const talosctl = async (...words: string[]) => textOf(await runTalosctl(['-n', all, ...words], cli));
  return {
    kubeconfig,
    talosctl,
    async [Symbol.asyncDispose]() {
      const words = ['delete', 'namespaces', '-l', 'e2e-framework', '--wait=false'];
      await promisify(execFile)(kubectl, [`--kubeconfig=${kubeconfig}`, ...words]);
      await talosctl('image', 'remove', image);
    },
  };
}

function textOf({ exitCode, stdout, stderr }: TalosctlResult): string {
  if (exitCode === 0) return stdout;
  throw new Error(`talosctl: ${stderr.trim().split('\n').at(-1)}`);
}

import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type Configuration,
  effectiveConfig,
  encodeConfiguration,
  type LocalConfiguration,
  type LocalNode,
  loadConfiguration,
  localConfiguration,
  secretsFromConfig,
  validateConfiguration,
} from '@nodewright/machine-config';
import type { ClusterRef, ClusterRequest, ClusterView, Progress, Provisioner } from '@nodewright/provision';
import { builtKubernetesVersion } from '@nodewright/provision/kubernetes-programs';
import type { CliEnvironment } from '../context/command-module.ts';
import { TemporaryFolder } from '../context/temporary-folder.ts';
import { provisionerOf } from '../local-clusters/cluster-options.ts';
import { lastError } from './last-error.ts';

const clusterName = 'prove';
const controlPlanes = 3;

/** Three control planes of processes that run a configuration. Disposing of it destroys them, with all that was made for them. */
export interface LocalCluster extends AsyncDisposable {
  readonly view: ClusterView;
  /** Path of a talosconfig for an administrator. */
  readonly talosconfig: string;
  /** Path of a kubeconfig for an administrator. */
  readonly kubeconfig: string;
  /** The nodes as they are now. */
  show(): Promise<ClusterView>;
  /** A configuration as a node of this cluster runs it. */
  configurationOf(node: string, configuration: Configuration): LocalConfiguration;
}

/**
 * Starts the cluster below the folder for temporary files. It ends with this process, also when that is killed.
 *
 * @throws Fault `failed-precondition` when the programs of Kubernetes or etcd are missing, `resource-exhausted` when the memory does not
 * suffice, `invalid-argument` when what is left of the configuration is not valid for these nodes
 */
export async function openLocalCluster(
  env: CliEnvironment,
  configuration: Configuration,
  progress: Progress,
): Promise<LocalCluster> {
  await using undo = new AsyncDisposableStack();
  const home = undo.use(await TemporaryFolder.create('talosctl-prove-'));
  const ref: ClusterRef = { name: clusterName, clustersFolder: join(home.path, 'clusters') };
  const provisioner = await provisionerOf(env, {
    name: ref.name,
    state: ref.clustersFolder,
    provisioner: 'process',
  });
  const locals = new Map<string, LocalNode>();
  const key = randomBytes(32);
  const localOf = (node: string) => {
    const local = locals.get(node);
    if (local === undefined) throw new Error(`no configuration was made for ${node}`);
    return local;
  };
  const configurationOf = (node: string, wanted: Configuration) => checked(wanted, localOf(node));
  undo.defer(() => destroy(provisioner, ref, progress));
  const request: ClusterRequest = {
    ...ref,
    shape: { controlPlanes, workers: 0 },
    cidr: undefined,
    kubernetes: true,
    patches: { all: [], controlPlanes: [], workers: [] },
    configure(node, generated) {
      locals.set(node.name, localFrom(generated, key));
      return encodeConfiguration(configurationOf(node.name, configuration).configuration);
    },
    isTemporary: true,
    talosconfig: join(home.path, 'talosconfig'),
    ifAbsent: false,
    bootstrap: true,
  };
  const { cluster } = await provisioner.create(request, progress, env.signal).catch(async (error) => {
    const reason = await lastError(join(ref.clustersFolder, ref.name));
    if (reason === undefined || env.signal.aborted) throw error;
    // The logs go with the cluster.
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `${message}; its last error: ${reason}`, { cause: error });
  });
  const kept = undo.move();
  return {
    view: cluster,
    talosconfig: join(cluster.folder, 'talosconfig'),
    kubeconfig: join(cluster.folder, 'kubeconfig'),
    show: () => provisioner.show(ref),
    configurationOf,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** What a node of the cluster has of its own, from the configuration that was generated for it. */
function localFrom(generated: string, key: Buffer): LocalNode {
  const configuration = loadConfiguration(generated);
  return {
    secrets: secretsFromConfig(generated),
    endpoint: effectiveConfig(configuration).cluster.endpoint,
    kubernetesVersion: builtKubernetesVersion,
    documents: configuration
      .filter(({ kind }) => kind === 'HostnameConfig' || kind === 'TimeSyncConfig')
      .map(({ kind, value }) => ({ kind, value })),
    deriveKey: (text) => createHmac('sha256', key).update(text).digest('base64'),
  };
}

async function destroy(provisioner: Provisioner, ref: ClusterRef, progress: Progress): Promise<void> {
  try {
    await provisioner.destroy(ref, { force: true }, progress);
  } catch (error) {
    // An interrupted creation has removed everything.
    if (faultFrom(error).kind !== 'not-found') throw error;
  }
}

/** A node that gets a configuration which is not valid would wait for another one. */
function checked(configuration: Configuration, local: LocalNode): LocalConfiguration {
  const result = localConfiguration(configuration, local);
  const { errors } = validateConfiguration(result.configuration, { mode: 'container', local: true });
  if (errors.length === 0) return result;
  throw new Fault(
    'invalid-argument',
    `nodes of processes cannot run what is left of the configuration: ${errors.join('; ')}`,
  );
}

import { join } from 'node:path';
import { isLockEntry } from './lock-entry.ts';

/**
 * The paths of the files in a cluster's folder. The folder of the cluster `name` is `<clusters
 * folder>/<name>`.
 */
export interface ClusterFolder {
  readonly path: string;
  readonly state: string;
  readonly secrets: string;
  readonly talosconfig: string;
  readonly members: string;
  /** Only in the folder of a cluster that runs Kubernetes. */
  readonly kubeconfig: string;
  /** Only in the folder of a cluster of containers. */
  readonly composeFile: string;
  readonly supervisorPid: string;
  readonly supervisorLock: string;
  readonly supervisorLog: string;
  /** The requests to the running supervisor to start or stop single nodes. */
  readonly nodeWishes: string;
  readonly nodes: string;
  /** Only in the folder of a cluster of nodes that are one container each: the keys of the artefacts that they may be upgraded with. */
  readonly trustedCertificates: string;
  /** What the keeper does with artefacts before it has loaded their images. */
  readonly scratch: string;
  /** The configuration that the node got when the cluster was created, for `cluster join` after a reset. It holds keys: mode 0600. */
  nodeConfig(node: string): string;
  nodeRoot(node: string): string;
  /** The systems of a node that is one container, as the keeper knows them. */
  nodeSystems(node: string): string;
  /** The process group of the node's machined, to find its processes when the supervisor has died. */
  nodePid(node: string): string;
  /** The output of the node's machined. Source: Talos v1.14: cluster logs. */
  nodeLog(node: string): string;
}

export function clusterFolder(path: string): ClusterFolder {
  const nodes = join(path, 'nodes');
  return {
    path,
    state: join(path, 'state.yaml'),
    secrets: join(path, 'secrets.yaml'),
    talosconfig: join(path, 'talosconfig'),
    members: join(path, 'members.json'),
    kubeconfig: join(path, 'kubeconfig'),
    composeFile: join(path, 'compose.yaml'),
    supervisorPid: join(path, 'supervisor.pid'),
    supervisorLock: join(path, 'supervisor.lock'),
    supervisorLog: join(path, 'supervisor.log'),
    nodeWishes: join(path, 'wishes.json'),
    nodes,
    trustedCertificates: join(path, 'trusted-certificates.pem'),
    scratch: join(path, 'scratch'),
    nodeSystems: (node) => join(path, `${node}.systems.json`),
    nodeConfig: (node) => join(path, `${node}.yaml`),
    nodeRoot: (node) => join(nodes, node),
    nodePid: (node) => join(nodes, node, 'machined.pid'),
    nodeLog: (node) => join(path, `${node}.log`),
  };
}

/** The socket on which the supervisor gives out the spans that it keeps. */
export const spansSocket = 'spans.sock';

/** Whether this package creates a file or folder of this name in a cluster's folder. */
export function isClusterEntry(name: string): boolean {
  return (
    /^(state\.yaml|secrets\.yaml|compose\.yaml|talosconfig|kubeconfig|members\.json|wishes\.json)(\.[0-9a-f]+\.tmp)?$/.test(
      name,
    ) ||
    /^supervisor\.(pid|lock|log)(\.[0-9a-f]+\.tmp)?$/.test(name) ||
    name === 'supervisor.log.1' ||
    isLockEntry({ name: 'supervisor' }, name) ||
    name === spansSocket ||
    name === 'nodes' ||
    name === 'scratch' ||
    /^trusted-certificates\.pem(\.[0-9a-f]+\.tmp)?$/.test(name) ||
    /^node\d+\.systems\.json(\.[0-9a-f]+\.tmp)?$/.test(name) ||
    /^node\d+\.log(\.1)?$/.test(name) ||
    /^node\d+\.yaml(\.[0-9a-f]+\.tmp)?$/.test(name)
  );
}

/** Whether this is the name of a temporary `state.yaml` whose writer died before it renamed the file. */
export function isStateDraft(name: string): boolean {
  return /^state\.yaml\.[0-9a-f]+\.tmp$/.test(name);
}

import { join } from 'node:path';

/** Names of what lies in a cluster's folder. The folder of the cluster `name` is `<clusters folder>/<name>`. */
export interface ClusterFolder {
  readonly path: string;
  readonly state: string;
  readonly secrets: string;
  readonly talosconfig: string;
  readonly members: string;
  /** Of a cluster of containers. */
  readonly composeFile: string;
  readonly supervisorPid: string;
  readonly supervisorLock: string;
  readonly supervisorLog: string;
  /** What a running supervisor is to do with single nodes. */
  readonly nodeWishes: string;
  readonly nodes: string;
  nodeRoot(node: string): string;
  /** Process group of the node's machined, so that leftovers can be found when its supervisor is gone. */
  nodePid(node: string): string;
  /** What machined of this node prints. Source: Talos v1.14: cluster logs. */
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
    composeFile: join(path, 'compose.yaml'),
    supervisorPid: join(path, 'supervisor.pid'),
    supervisorLock: join(path, 'supervisor.lock'),
    supervisorLog: join(path, 'supervisor.log'),
    nodeWishes: join(path, 'wishes.json'),
    nodes,
    nodeRoot: (node) => join(nodes, node),
    nodePid: (node) => join(nodes, node, 'machined.pid'),
    nodeLog: (node) => join(path, `${node}.log`),
  };
}

/** Whether an entry of a folder is one that this package puts into a cluster's folder. */
export function isClusterEntry(name: string): boolean {
  return (
    /^(state\.yaml|secrets\.yaml|compose\.yaml|talosconfig|members\.json|wishes\.json)(\.[0-9a-f]+\.tmp)?$/.test(
      name,
    ) ||
    /^supervisor\.(pid|lock|log)(\.[0-9a-f]+\.tmp)?$/.test(name) ||
    name === 'nodes' ||
    /^node\d+\.log(\.1)?$/.test(name)
  );
}

/** Whether an entry is a `state.yaml` that was being written when its writer died. */
export function isStateDraft(name: string): boolean {
  return /^state\.yaml\.[0-9a-f]+\.tmp$/.test(name);
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import type { ClusterShape, Node } from '../cluster/cluster.ts';
import type { CreatedCluster } from '../cluster/created-cluster.ts';
import { openDockerCluster } from '../cluster/docker/docker-cluster.ts';
import { openMachineCluster } from '../cluster/machine/machine-cluster.ts';
import { openProcessCluster } from '../cluster/process/process-cluster.ts';
import { type ClientResult, type RunClientInit, runClient } from './run-client.ts';

/** `qemu`: one emulated machine, which is the second control plane and the worker as well. */
export type Provisioner = 'process' | 'docker' | 'qemu';
/** `none`: a certificate of the cluster's CA without any role. */
export type Role = 'admin' | 'operator' | 'reader' | 'none';

export interface ClientInit extends Partial<Pick<RunClientInit, 'until' | 'timeoutMs' | 'environment'>> {
  readonly role?: Role;
}

/** A cluster to test with the released client, and the client. */
export interface Subject extends AsyncDisposable {
  readonly provisioner: Provisioner;
  readonly cluster: CreatedCluster<Node>;
  readonly node: Node;
  /** The second control plane; the first when there is only one. */
  readonly second: Node;
  /** The control plane when there is no worker. */
  readonly worker: Node;
  /** Scratch folder: the client's home and working directory. */
  readonly folder: string;
  /**
   * Replaces `{node}`, `{second}`, `{worker}` by names, with `.address` by addresses and with `.type` by
   * `controlplane` or `worker`; also `{folder}` and `{cluster}`.
   */
  fill(word: string): string;
  client(words: readonly string[], init?: ClientInit): Promise<ClientResult>;
}

const roleNames: Readonly<Record<Role, readonly string[]>> = {
  admin: ['os:admin'],
  operator: ['os:operator'],
  reader: ['os:reader'],
  none: [],
};

/** How long a command may take: the processor of an emulated machine is ten times slower. */
const timeouts: Readonly<Record<Provisioner, number>> = {
  process: 60_000,
  docker: 60_000,
  qemu: 300_000,
};

/** The provisioner of this run: `TEST_PROVISIONER`, processes by default. */
export function chosenProvisioner(): Provisioner {
  const name = process.env.TEST_PROVISIONER || 'process';
  if (name !== 'process' && name !== 'docker' && name !== 'qemu')
    throw new Error(`TEST_PROVISIONER=${name} is not known here`);
  return name;
}

/** Makes a cluster with etcd, one worker, and a talosconfig for each role. */
export async function openSubject(
  provisioner: Provisioner,
  { controlPlanes }: { readonly controlPlanes: number },
): Promise<Subject> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'upstream-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const cluster = undo.use(await openCluster(provisioner, { controlPlanes, workers: 1 }));
  const [node, second = node] = cluster.controlPlanes;
  const [worker = node] = cluster.workers;
  if (node === undefined || second === undefined || worker === undefined)
    throw new Error('a cluster without nodes');
  for (const [role, names] of Object.entries(roleNames)) {
    const context = await cluster.context(...names);
    await writeFile(join(folder, role), talosconfigOf(cluster.name, context));
  }
  const facts = { node, second, worker };
  const fill = (word: string) =>
    word.replaceAll(
      /\{(node|second|worker)(?:\.(address|type))?\}|\{(folder|cluster)\}/g,
      (_, name, fact, other) => {
        if (other !== undefined) return other === 'folder' ? folder : cluster.name;
        const { name: own, type } = facts[name as keyof typeof facts];
        if (fact === undefined) return own;
        if (fact === 'type') return type;
        return cluster.view.nodes.find((one) => one.name === own)?.address ?? own;
      },
    );
  const kept = undo.move();
  return {
    ...{ provisioner, cluster, node, second, worker, folder, fill },
    client: (words, { role = 'admin', timeoutMs = timeouts[provisioner], ...init } = {}) =>
      runClient(words.map(fill), { ...init, timeoutMs, folder, talosconfig: join(folder, role) }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function openCluster(provisioner: Provisioner, shape: ClusterShape): Promise<CreatedCluster<Node>> {
  if (provisioner === 'docker') return openDockerCluster(shape, { environment: { NODEWRIGHT_ETCD: '' } });
  if (provisioner === 'qemu') return openMachineCluster();
  return openProcessCluster(shape, { name: 'upstream', etcd: true });
}

function talosconfigOf(name: string, { endpoints, ca, crt, key }: TalosconfigContext): string {
  const context = { endpoints, ca, crt, key: key?.reveal() };
  // JSON is a subset of YAML.
  return JSON.stringify({ context: name, contexts: { [name]: context } });
}

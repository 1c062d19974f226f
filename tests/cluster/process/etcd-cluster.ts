// A cluster with a real etcd on its control planes, and the operations that tests do with it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { etcdPorts, nodePaths } from '@nodewright/contract';
import { type EtcdClient, openEtcdClient } from '@nodewright/etcd';
import { readProcesses } from '@nodewright/linux';
import { noTelemetry } from '@nodewright/telemetry';
import { openProcessCluster, type ProcessCluster, type ProcessNode } from './process-cluster.ts';

/**
 * Generous upper bounds, because the machine also runs other tests. Tests check promised times separately.
 */
export const formTimeoutMs = 90_000;

export function openEtcdCluster(
  init: Parameters<typeof openProcessCluster>[1] = {},
): Promise<ProcessCluster> {
  return openProcessCluster({ controlPlanes: 3, workers: 1 }, { ...init, etcd: true });
}

/** A client of etcd on these nodes, with the client certificate that the first of them has for itself. */
export async function openEtcd(nodes: readonly ProcessNode[]): Promise<EtcdClient> {
  const read = (name: string) => readFile(join(nodes[0]?.root ?? '', nodePaths.etcdSecrets, name), 'utf8');
  const [ca, cert, key] = await Promise.all(['ca.crt', 'admin.crt', 'admin.key'].map(read));
  assert.ok(ca !== undefined && cert !== undefined && key !== undefined);
  const endpoints = nodes.map(({ address }) => `${address}:${etcdPorts.client}`);
  return openEtcdClient({ endpoints, tls: { ca, cert, key }, telemetry: noTelemetry, dialTimeoutMs: 2000 });
}

/** Names of the voting members when all of these nodes agree on them, else `undefined`. */
export async function votersOf(nodes: readonly ProcessNode[]): Promise<string | undefined> {
  const views = await Promise.all(
    nodes.map(async (node) => {
      await using client = await openEtcd([node]);
      const members = await client.members({ linearizable: true, timeoutMs: 3000 });
      return members
        .filter(({ isLearner }) => !isLearner)
        .map(({ name }) => name)
        .sort()
        .join(' ');
    }),
  );
  return new Set(views).size === 1 ? views[0] : undefined;
}

/** Pid of etcd on a node, found by its command line; `undefined` when none runs. */
export async function etcdPidOf({ root }: ProcessNode): Promise<number | undefined> {
  const processes = await readProcesses({ pageSizeBytes: 4096 });
  const data = `--data-dir=${join(root, nodePaths.etcdData)}`;
  return processes.find(({ args }) => args.includes(`${data} `))?.pid;
}

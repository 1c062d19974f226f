// What tests of control planes of containers ask and change: their configuration, their API servers and the processes of their nodes.
import assert from 'node:assert/strict';
import { kubernetesPorts } from '@nodewright/contract';
import { runDocker } from '@nodewright/provision/engine';
import { probeHttps } from '../../services/machined/src/kubernetes/host/probe-https.ts';
import type { Node } from '../cluster/cluster.ts';
import type { DockerCluster } from '../cluster/docker/docker-cluster.ts';

export const apiServer = 'kube-apiserver';

/** How long an API server may take to answer, in milliseconds. */
const answerMs = 5_000;

export async function isApiServerReady(host: string): Promise<boolean> {
  const request = { host, port: kubernetesPorts.apiServer, path: '/readyz' };
  return (await probeHttps(request, answerMs)).healthy;
}

export interface NodeProcess {
  readonly pid: number;
  readonly args: string;
}

export interface ControlPlanes {
  /** What talosctl printed. Fails when it fails. */
  talosctl(...words: string[]): Promise<string>;
  /** Gives all control planes the same patch with one command. */
  patchAll(patch: string): Promise<string>;
  each<T>(ask: (node: Node) => Promise<T>): Promise<readonly T[]>;
  /** The process of a program that a node runs; `undefined` while it runs none. */
  processOf(node: Node, program: string): Promise<NodeProcess | undefined>;
  /** What a node says of the pod of its API server, as YAML. */
  statusOf(node: Node): Promise<string>;
}

export function controlPlanesOf(cluster: DockerCluster): ControlPlanes {
  const talosctl = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await cluster.talosctl(...words);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  return {
    talosctl,
    patchAll: (patch) =>
      talosctl('-n', cluster.controlPlanes.map(({ name }) => name).join(','), 'patch', 'mc', '-p', patch),
    each: (ask) => Promise.all(cluster.controlPlanes.map(ask)),
    async processOf({ name }, program) {
      // The engine wants the pid among the columns.
      const text = await runDocker(['top', cluster.containerOf(name), '-eo', 'pid,args']);
      for (const line of text.split('\n')) {
        const [, pid, args] = /^\s*(\d+)\s+(\S.*)$/.exec(line) ?? [];
        const [path = ''] = args?.split(' ') ?? [];
        if (args !== undefined && path.endsWith(`/${program}`)) return { pid: Number(pid), args };
      }
      return undefined;
    },
    statusOf: ({ name }) =>
      talosctl('-n', name, 'get', 'staticpodstatus', `kube-system/${apiServer}-${name}`, '-o', 'yaml'),
  };
}

/** A document that gives the API server these flags. */
export const withApiServerFlags = (flags: string) =>
  `apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: ${flags}`;

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcesses, readProcessMemory } from '../../bench/process-memory.ts';
import type { ProcessNode } from '../../cluster/process/process-cluster.ts';
import { openKubernetesCluster, skipWithoutKubernetes } from '../../kubernetes/kubernetes-cluster.ts';
import { watchApi } from '../../kubernetes/watch-api.ts';
import type { AttackCheck } from './check.ts';

/** The default of the configuration. */
const kubePrismPort = 7445;
const floodMs = 15_000;
/** Time after a flood for connections that still count. */
const restMs = 12_000;
const allowedGapSeconds = 3;
/** Measured: 6 to 39 after 29,000 to 43,000 connections, which falls and rises and does not grow from flood to flood. */
const allowedGrowthMb = 64;

interface Stage {
  readonly name: string;
  /** Connections at once. KubePrism takes 1,024. */
  readonly connections: number;
  /** What each of them sends when it is open. */
  readonly says: Buffer;
  /** One that does not read never learns that its connection has ended, and keeps it. */
  readonly reads: boolean;
  readonly mayRefuseOthers: boolean;
}

const nothing = Buffer.alloc(0);
const noTls = Buffer.alloc(4096, 'GET / HTTP/1.1\r\n');
const stages: readonly Stage[] = [
  { name: '900 that send nothing', connections: 900, says: nothing, reads: true, mayRefuseOthers: false },
  {
    name: '900 that send what is not TLS and read nothing',
    ...{ connections: 900, says: noTls, reads: false, mayRefuseOthers: false },
  },
  { name: '2,000 that send nothing', connections: 2000, says: nothing, reads: true, mayRefuseOthers: true },
];

/** Keeps so many connections to KubePrism open for some time: for one that was seen to end, another one is opened. */
async function flood({ address }: ProcessNode, { connections, says, reads }: Stage): Promise<number> {
  const open = new Set<Socket>();
  let opened = 0;
  const endMs = performance.now() + floodMs;
  while (performance.now() < endMs) {
    for (let missing = Math.min(200, connections - open.size); missing > 0; missing -= 1) {
      const socket = connect({ host: address, port: kubePrismPort });
      open.add(socket);
      opened += 1;
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
      if (reads) socket.resume();
      else socket.pause();
      if (says.length > 0) socket.write(says);
    }
    await sleep(50);
  }
  for (const socket of open) socket.destroy();
  return opened;
}

/** A cluster of its own, because the other attacks are measured without Kubernetes. */
export const kubePrism: AttackCheck = {
  name: 'kube-prism',
  what: 'connections that waste the places of KubePrism, while another client asks the API server through it',
  async run() {
    const missing = skipWithoutKubernetes();
    if (missing) return { summary: `not run: ${missing}`, problems: [] };
    await using cluster = await openKubernetesCluster({ name: 'attack-kubernetes' });
    const [node] = cluster.controlPlanes;
    if (node === undefined) throw new Error('the cluster lacks a control plane');
    const [machined] = findProcesses('machined.cjs', node.root);
    if (machined === undefined) throw new Error(`${node.name} runs no machined`);
    const memory = () => readProcessMemory(machined.pid).rss;
    const before = memory();
    const problems: string[] = [];
    const said: string[] = [];
    for (const stage of stages) {
      const watch = watchApi(node.address, kubePrismPort);
      const opened = await flood(node, stage);
      if (stage.mayRefuseOthers) await sleep(restMs);
      const { exitCode } = await cluster.talosctl('-n', node.name, 'version');
      const { answered, failed, longestGapSeconds, sinceLastSeconds } = await watch.stop();
      said.push(`${stage.name}: ${opened} connections, ${answered} answers, ${failed} failures`);
      if (exitCode !== 0) problems.push(`${stage.name}: talosctl version ended with ${exitCode}`);
      if (sinceLastSeconds > allowedGapSeconds)
        problems.push(`${stage.name}: no answer in the last ${sinceLastSeconds} s`);
      if (!stage.mayRefuseOthers && (failed > 0 || longestGapSeconds > allowedGapSeconds))
        problems.push(`${stage.name}: ${failed} failures, ${longestGapSeconds} s without an answer`);
    }
    await sleep(restMs);
    const grown = memory() - before;
    if (grown > allowedGrowthMb) problems.push(`machined keeps ${Math.round(grown)} MB more than before`);
    return { summary: said.join('; '), problems };
  },
};

// Kills programs and whole nodes of a cluster of its own with SIGKILL, while a client writes to etcd, reads
// from all nodes and pulls images into their caches. `make chaos CLUSTER=process|docker DURATION=600 SEED=`; the seed determines the
// schedule. With KUBERNETES=1 the nodes are containers whose kubelets run Kubernetes, and at the end each of them must be Ready. Restarts
// are timed on all clusters, and a late one is a failure only without Kubernetes.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '@nodewright/files';
import { openDockerTarget } from './docker-target.ts';
import { historyFile } from './history-file.ts';
import { openKubeletTarget } from './kubelet-target.ts';
import { planFaults } from './plan-faults.ts';
import { openProcessTarget } from './process-target.ts';
import { faultTable, hasFailed, lateOnes, readText, shortcomings } from './report.ts';
import { runChaos } from './run-chaos.ts';

const numberFrom = (name: string, otherwise: number): number => {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  process.stderr.write(`chaos: ${name}=${text} is not a whole number above 0\n`);
  process.exit(2);
};

const openers = { process: openProcessTarget, docker: openDockerTarget, kubernetes: openKubeletTarget };
const kind = process.env.KUBERNETES ? 'kubernetes' : process.env.CLUSTER || 'process';
const open = Object.hasOwn(openers, kind) ? openers[kind as keyof typeof openers] : undefined;
if (open === undefined) {
  process.stderr.write(`chaos: CLUSTER=${kind} is neither process nor docker\n`);
  process.exit(2);
}
const seed = numberFrom('SEED', 1 + (Date.now() % 1e9));
const durationMs = numberFrom('DURATION', 600) * 1000;
const historyPath = join(import.meta.dirname, '..', '..', historyFile);
const tell = (line: string) => process.stdout.write(`${line}\n`);

tell(`a cluster of 3 control planes and 1 worker (${kind}), ${durationMs / 1000} s of faults, SEED=${seed}`);
// The cluster is destroyed with this program, also after a first interrupt; a second interrupt exits at once.
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error(`chaos: ended by ${name}`)));
await using target = await open({ controlPlanes: 3, workers: 1 });
interrupted.signal.throwIfAborted();
const { victims, cluster } = target;
const faults = planFaults({ seed, durationMs, nodes: cluster.nodes, ...(victims && { victims }) });
const result = await runChaos(target, faults, tell, interrupted.signal);
const { outcomes, reads, acknowledged, unknown, lost, history, strays, pulls } = result;
mkdirSync(dirname(historyPath), { recursive: true });
await writeFileAtomically(historyPath, history.map((operation) => `${JSON.stringify(operation)}\n`).join(''));

tell('');
tell(faultTable(outcomes));
tell('');
tell(`versions read: ${readText(reads)}`);
tell(`writes: ${acknowledged} acknowledged, ${unknown} of which nobody said how they ended`);
const unanswered = history.filter((operation) => operation.unknown).length;
tell(`history: ${history.length} operations, ${unanswered} of them without an answer, in ${historyFile}`);
tell(`pulls: ${pulls.pulled} complete, ${pulls.broken} interrupted`);
for (const stray of strays) tell(`left behind: ${stray}`);
for (const { fault, startedMs, watchedMs } of lateOnes(outcomes)) {
  const how =
    startedMs === undefined ? `did not run ${watchedMs} ms later` : `ran again after ${startedMs} ms`;
  tell(`late: ${fault.victim} of ${fault.node}, killed at ${fault.atMs / 1000} s, ${how}`);
}
const short = shortcomings(result);
for (const line of short) tell(`not good: ${line}`);
tell(`acknowledged writes lost: ${lost?.length ?? 'unknown'}`);
if (hasFailed(result, target)) process.exitCode = 1;

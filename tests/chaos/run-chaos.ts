import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EtcdClient, openEtcdClient } from '@nodewright/etcd';
import { decodeSecrets } from '@nodewright/machine-config';
import { issueCertificate } from '@nodewright/pki';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { type Outcome, strike } from './await-recovery.ts';
import type { ChaosTarget } from './chaos-target.ts';
import type { PlannedFault } from './planned-fault.ts';
import { type ReadCounts, readVersions } from './read-versions.ts';
import { type RecordedOperation, recordHistory } from './record-history.ts';
import { openRegistryPulls, type PullCounts } from './registry-pulls.ts';
import { WriteLedger } from './write-ledger.ts';

export interface ChaosResult {
  readonly outcomes: readonly Outcome[];
  readonly reads: ReadonlyMap<string, ReadCounts>;
  readonly acknowledged: number;
  readonly unknown: number;
  /** Keys whose acknowledged write is lost; `undefined` when etcd could not be read. */
  readonly lost: readonly string[] | undefined;
  /** What clients of etcd saw that write and read the same few keys. */
  readonly history: readonly RecordedOperation[];
  readonly strays: readonly string[];
  readonly pulls: PullCounts;
  /** What is wrong with the image caches. */
  readonly cacheProblems: readonly string[];
  /** Why the cluster did not recover at the end, or could not be checked then. */
  readonly unrest?: string;
}

const historyClients = 10;
const settleTimeoutMs = 180_000;
/** A kubelet that has restarted a container often waits for minutes before the next time. */
const kubernetesSettleTimeoutMs = 480_000;
/** One look at all checks, after which they begin again. Without it the command waits for the first one that does not hold for 20 minutes. */
const healthTimeout = '60s';
/** A process that has just exited may still be a zombie for a moment. */
const strayTimeoutMs = 20_000;

/** Kills as planned while clients write and read, and checks the cluster when it has recovered. */
export async function runChaos(
  target: ChaosTarget,
  faults: readonly PlannedFault[],
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<ChaosResult> {
  const { cluster } = target;
  await using scope = new AsyncDisposableStack();
  const etcd = scope.use(await openEtcd(target));
  const stores: EtcdClient[] = [];
  for (let index = 0; index < historyClients; index += 1) stores.push(scope.use(await openEtcd(target)));
  using client = await cluster.client();
  const ledger = new WriteLedger(etcd, `chaos/${process.pid}/`);
  const stop = new AbortController();
  const writing = ledger.writeUntil(stop.signal);
  const recording = recordHistory({
    ...{ stores, prefix: `chaos-history/${process.pid}/`, signal: stop.signal },
    ...{ random: Math.random, nowMs: () => performance.now() },
  });
  const reading = readVersions(client, cluster.nodes, stop.signal);
  await using registry = await openRegistryPulls(target, client);
  const pulling = registry.pullUntil(stop.signal);
  const outcomes = await strikeAll(target, faults, tell, signal).finally(() => stop.abort());
  await writing;
  const history = await recording;
  const reads = await reading;
  const pulls = await pulling;

  tell('waiting for the cluster to come to rest');
  // With Kubernetes, each node must be Ready. Without, its checks are skipped.
  const mustCheckAll = target.victims !== undefined;
  let seen = '';
  const health = async () => {
    const words = ['-n', firstControlPlane(target), 'health', '--wait-timeout', healthTimeout];
    const { exitCode, stderr } = await cluster.talosctl(...words);
    seen = stderr;
    return exitCode === 0 && !(mustCheckAll && stderr.includes('SKIP'));
  };
  // Report the results of the faults even when this failed.
  const unrest = await eventually(health, {
    what: 'healthy cluster',
    timeoutMs: mustCheckAll ? kubernetesSettleTimeoutMs : settleTimeoutMs,
    explain: () => seen,
  }).then(
    () => undefined,
    ({ message }: Error) => message.trim(),
  );
  signal.throwIfAborted();
  let strays: readonly string[] = [];
  for (const endMs = performance.now() + strayTimeoutMs; performance.now() < endMs; await sleep(1000)) {
    strays = await target.strays();
    if (strays.length === 0) break;
  }
  const cacheProblems = await registry.problems(client);
  const { acknowledged, unknown } = ledger;
  const lost = await ledger.lost().catch(() => undefined);
  return {
    ...{ outcomes, reads, acknowledged, unknown, lost, history, strays, pulls, cacheProblems },
    ...(unrest !== undefined && { unrest }),
  };
}

const firstControlPlane = ({ cluster }: ChaosTarget) => cluster.controlPlanes[0]?.name ?? '';

async function strikeAll(
  target: ChaosTarget,
  faults: readonly PlannedFault[],
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const startedAt = performance.now();
  using client = await target.cluster.client();
  const struckAgain = new Map<string, AbortController>();
  const running: Promise<Outcome>[] = [];
  for (const fault of faults) {
    await sleep(Math.max(0, startedAt + fault.atMs - performance.now()), undefined, { signal });
    struckAgain.get(fault.node)?.abort();
    const again = new AbortController();
    struckAgain.set(fault.node, again);
    tell(`${(fault.atMs / 1000).toFixed(1)} s: kill ${fault.victim} of ${fault.node}`);
    const outcome = strike(target, client, fault, AbortSignal.any([again.signal, signal]));
    // The outcome is awaited at the end; until then a rejection must not count as unhandled.
    outcome.catch(() => {});
    running.push(outcome);
  }
  return await Promise.all(running);
}

/** A client of etcd with a certificate of the cluster's own CA. */
async function openEtcd({ view, etcdEndpoints }: ChaosTarget): Promise<EtcdClient> {
  const { certs } = decodeSecrets(await readFile(join(view.folder, 'secrets.yaml'), 'utf8'));
  const { certificate, key } = await issueCertificate({
    issuer: certs.etcd,
    subject: { commonName: 'chaos' },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(),
    lifetimeHours: 24,
  });
  return openEtcdClient({
    endpoints: etcdEndpoints,
    tls: { ca: certs.etcd.certificate, cert: certificate, key },
    telemetry: noTelemetry,
  });
}

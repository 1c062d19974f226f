import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roles } from '@nodewright/contract';
import { decodeSecrets } from '@nodewright/machine-config';
import { startLoneNode } from '@nodewright/testkit';
import { findProcesses } from '../../bench/process-memory.ts';
import { openProcessCluster, type ProcessCluster } from '../../cluster/process/process-cluster.ts';
import type { AttackTarget } from './attack-target.ts';
import { clientHours, issueCertificates, issueClient } from './issue-certificates.ts';
import { openRegistry } from './open-registry.ts';

/** A daemon whose memory is watched. */
export interface WatchedDaemon {
  /** `apid of node01`. */
  readonly name: string;
  readonly pid: number;
}

export interface OpenedTarget extends AsyncDisposable {
  readonly cluster: ProcessCluster;
  readonly target: AttackTarget;
  readonly daemons: readonly WatchedDaemon[];
  /**
   * The same target with new certificates for the attacker, so that the limits of one attack do not affect
   * the next.
   */
  readonly withNewAttackers: () => Promise<AttackTarget>;
  /** Issues a client certificate of the cluster's CA. */
  readonly issue: (
    organizations: readonly string[],
    lifetimeHours?: number,
  ) => ReturnType<typeof issueClient>;
}

const reissues = 10;
const daemonNames = ['machined', 'apid', 'trustd', 'registryd'] as const;

/** Starts one control plane, one worker, and a node in maintenance, as processes of this run. */
export async function openTarget(now: () => Date): Promise<OpenedTarget> {
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(
    await openProcessCluster({ controlPlanes: 1, workers: 1 }, { name: 'attack', etcd: true }),
  );
  const lone = undo.use(await startLoneNode({ isConfigured: false, program: bundleOf('machined') }));
  const { certs, trustd } = decodeSecrets(readFileSync(join(cluster.view.folder, 'secrets.yaml'), 'utf8'));
  const [entry, behind] = [cluster.controlPlanes[0], cluster.workers[0]];
  if (entry === undefined || behind === undefined) throw new Error('the cluster lacks a node');
  const issue = (organizations: readonly string[], lifetimeHours = clientHours) =>
    issueClient(certs.os, organizations, now(), { lifetimeHours });
  const nodeOf = ({ name, address, root }: typeof entry) => ({ name, address, root });
  const newAttackers = async () => ({
    certificates: await issueCertificates(certs.os, now()),
    reissued: await Promise.all(Array.from({ length: reissues }, () => issue([roles.operator]))),
  });
  const target: AttackTarget = {
    entry: nodeOf(entry),
    behind: nodeOf(behind),
    ca: certs.os.certificate,
    ...(await newAttackers()),
    bystander: await issue([roles.reader]),
    token: trustd.token,
    maintenance: lone.address,
    registry: await openRegistry(cluster, entry, undo),
  };
  const roots = [...cluster.nodes, { name: 'the waiting node', root: lone.root }];
  const daemons = roots.flatMap(({ name, root }) =>
    daemonNames.flatMap((daemon) =>
      findProcesses(`${daemon}.cjs`, root).map(({ pid }) => ({ name: `${daemon} of ${name}`, pid })),
    ),
  );
  const kept = undo.move();
  const withNewAttackers = async () => ({ ...target, ...(await newAttackers()) });
  return {
    cluster,
    target,
    withNewAttackers,
    daemons,
    issue,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Attack the bundle that `make build` made, because users run that. */
export function bundleOf(daemon: string): string {
  return join(import.meta.dirname, '..', '..', '..', '_out', 'dist', daemon, `${daemon}.cjs`);
}

/** Creates a folder that is removed with the returned scope. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'attack-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { ClusterView, JoinRequest, Progress } from '../domain/provisioner.ts';
import { shownFingerprint } from '../domain/shown-fingerprint.ts';
import { attempts, type Outcome } from './attempts.ts';
import { endpointsOf } from './await-nodes.ts';
import type { ClusterKind, NodeHost } from './cluster-kind.ts';
import type { CreateParts, Creation } from './creation.ts';
import { formClusterEtcd } from './form-cluster-etcd.ts';
import { currentTalosconfig } from './restore-context.ts';
import { creationOf, type HeldCluster, holdCluster, viewAgain } from './start-cluster.ts';
import { tellMissingVotes } from './tell-missing-votes.ts';
import type { NodeProbe } from './wait-for-nodes.ts';

/** A node that reboots after a reset is waited for; an emulated machine needs more than a minute. */
const maintenanceTimeoutMs = 120_000;
/** A control plane that has just joined gets at least this time to become a voter of etcd. */
const leastVoteTimeoutMs = 10_000;

/** Below the time of one attempt, so that a control plane that hangs does not take all of it. */
const opinionTimeoutMs = 3_000;

/** One run of `cluster join`, which holds the lock of the cluster. */
interface Join {
  readonly held: HeldCluster;
  readonly creation: Creation;
  readonly host: NodeHost;
  readonly node: PlannedNode;
  /** `host:port` of the node's own API. */
  readonly api: string;
  readonly talosconfig: string;
  readonly timeoutMs: number;
  readonly deadline: AbortSignal;
}

/** Gives a node in maintenance the configuration that was kept for it, and waits until it is a member again. */
export async function joinNode<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  request: JoinRequest,
  parts: Parts,
  progress: Progress,
  signal: AbortSignal,
): Promise<ClusterView> {
  const endsAt = performance.now() + request.timeoutMs;
  const deadline = AbortSignal.timeout(request.timeoutMs);
  await using held = await holdCluster(request, request.node);
  const { folder, state } = held;
  const creation = creationOf(held, request, parts, progress, signal);
  const host = kind.openHost(folder, state);
  await host.require();
  const node = await runningNode(host, held, request.node);
  const api = await host.apiOf(state, node);
  if (api === undefined) throw unreachable(held, node);
  const talosconfig = await currentTalosconfig(creation);
  const { timeoutMs } = request;
  const join: Join = { held, creation, host, node, api, talosconfig, timeoutMs, deadline };

  const fingerprint = await progress.step(`${node.name} is in maintenance`, () => awaitMaintenance(join));
  const configuration = await keptConfiguration(join);
  await progress.step('configuration applied', () => applyConfiguration(join, fingerprint, configuration));
  await progress.step(`${node.name} is a member`, () => awaitMember(join));
  if (node.type === 'controlplane') {
    await using undo = new AsyncDisposableStack();
    const launcher = kind.openLauncher(creation, state, undo);
    const cluster = { creation, launcher, state, talosconfig, isNewCluster: false, node: node.name };
    const isOnly = state.nodes.filter(({ type }) => type === 'controlplane').length === 1;
    // The etcd of the only control plane may have to be bootstrapped, which is for the user to decide.
    if (isOnly) await tellMissingVotes(creation, (shortMs) => formClusterEtcd(cluster, shortMs));
    else await formClusterEtcd(cluster, Math.ceil(Math.max(endsAt - performance.now(), leastVoteTimeoutMs)));
  }
  return viewAgain(kind, folder, request);
}

/** @throws Fault `failed-precondition` when the node is stopped */
async function runningNode(
  host: NodeHost,
  { state, supervisorPid }: HeldCluster,
  name: string,
): Promise<PlannedNode> {
  const { isRunning, nodes } = await host.look(state, supervisorPid);
  const view = nodes.find((each) => each.name === name);
  const node = state.nodes.find((each) => each.name === name);
  if (node === undefined || view === undefined)
    throw new Fault('internal', `cluster "${state.name}" has no node "${name}"`);
  if (view.state !== 'stopped' && view.state !== 'off') return node;
  const which = isRunning ? ` ${name}` : '';
  throw new Fault(
    'failed-precondition',
    `${name} does not run: start it first (talosctl cluster start --name ${state.name}${which})`,
  );
}

function unreachable({ folder }: HeldCluster, { name, address }: PlannedNode): Fault {
  return new Fault(
    'failed-precondition',
    `this host cannot reach the API of ${name}: run "${byHand(address, folder.nodeConfig(name))}" where ${address} can be reached`,
  );
}

const byHand = (api: string, file: string) =>
  `talosctl apply-config --insecure --cert-fingerprint <fingerprint on its console> -n ${api} -f ${file}`;

/**
 * Resolves to the fingerprint of the node's key. Nobody else can get the configuration, which holds keys of the cluster: any user of this
 * host may listen at an address where a node does not listen yet.
 *
 * @throws Fault `failed-precondition` when the node has a configuration; `unavailable` when it does not answer
 */
async function awaitMaintenance(join: Join): Promise<string> {
  const { creation, node, api, deadline } = join;
  const { signal } = creation;
  let fingerprint: string | undefined;
  let isConfigured = false;
  const inTime = AbortSignal.any([deadline, AbortSignal.timeout(maintenanceTimeoutMs)]);
  const outcome = await attempts(signal, inTime, async (attempt) => {
    fingerprint = await latestFingerprint(join, attempt);
    const reason = await refusalOf(join, fingerprint, attempt);
    if (reason === undefined) return true;
    isConfigured = await isConfiguredNode(join, attempt);
    if (!isConfigured) throw new Fault('unavailable', reason);
    return true;
  });
  if (isConfigured)
    throw new Fault(
      'failed-precondition',
      `${node.name} has a configuration already: only a node that was reset can join (talosctl reset -n ${node.name} --reboot)`,
    );
  if (outcome.done && fingerprint !== undefined) return fingerprint;
  throw new Fault(
    'unavailable',
    `${node.name} (${api}) is not in maintenance: ${reasonOf(outcome)} (see: talosctl cluster logs --name ${creation.request.name} ${node.name})`,
  );
}

/** Why the node is not in maintenance; `undefined` when it is. */
async function refusalOf(
  { creation: { parts }, api }: Join,
  fingerprint: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (fingerprint === undefined) return 'its output shows no fingerprint of its key';
  using maintenance = await parts.openMaintenance(api, [fingerprint]);
  try {
    await maintenance.check(signal);
    return undefined;
  } catch (error) {
    return faultFrom(error).message;
  }
}

/** Whether the node answers the administrator, and is not about to lose its configuration by a reset. */
async function isConfiguredNode(
  { creation: { parts }, api, talosconfig }: Join,
  signal: AbortSignal,
): Promise<boolean> {
  const probe = await parts.openMembersProbe(talosconfig);
  const stage = await probe.stage(api, signal).catch(() => undefined);
  return stage !== undefined && !endingStages.has(stage);
}

const endingStages: ReadonlySet<string> = new Set(['resetting', 'rebooting', 'shutting down']);

async function latestFingerprint(
  { host, held, node }: Join,
  signal: AbortSignal,
): Promise<string | undefined> {
  let latest: string | undefined;
  for await (const { text } of host.logs(held.state, [node], { follow: false, signal }))
    latest = shownFingerprint(text) ?? latest;
  return latest;
}

/** @throws Fault `not-found` when no configuration was kept */
async function keptConfiguration({ held, node, api }: Join): Promise<string> {
  const path = held.folder.nodeConfig(node.name);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    const reason = kind === 'not-found' ? 'the file does not exist' : message;
    throw new Fault(
      kind,
      `the configuration of ${node.name} was not kept in ${path}: ${reason}; generate one with "talosctl gen config --with-secrets ${held.folder.secrets}", and apply it with "${byHand(api, '<file>')}"`,
      { cause: error },
    );
  }
}

async function applyConfiguration(join: Join, fingerprint: string, configuration: string): Promise<void> {
  const { creation, node, api, held, deadline } = join;
  const { parts, signal } = creation;
  using maintenance = await parts.openMaintenance(api, [fingerprint]);
  try {
    await maintenance.applyConfiguration(configuration, AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    const { kind, message } = faultFrom(error);
    const path = held.folder.nodeConfig(node.name);
    throw new Fault(kind, `${node.name} does not take its configuration (${path}): ${message}`, {
      cause: error,
    });
  }
}

/** Waits until the node is a member for the control planes; a control plane must answer the administrator itself, too. */
async function awaitMember(join: Join): Promise<void> {
  const { creation, node, held, talosconfig, timeoutMs, deadline } = join;
  const { parts, signal } = creation;
  await using probe = await parts.openProbe(talosconfig);
  const controlPlanes = held.state.nodes.filter(({ type }) => type === 'controlplane');
  const endpoints = endpointsOf(talosconfig);
  const own = endpoints[controlPlanes.indexOf(node)];
  const others = endpoints.filter((endpoint) => endpoint !== own);
  const isMember = async (attempt: AbortSignal) => {
    if (own !== undefined) await probe.version(own, undefined, attempt);
    const opinions = await opinionsOf(join, others, probe, attempt);
    if (opinions.length > 0) return decided(opinions);
    if (own === undefined) throw new Fault('unavailable', 'no control plane answers');
    return decided(await opinionsOf(join, [own], probe, attempt));
  };
  const outcome = await attempts(signal, deadline, isMember, 'no control plane lists it yet');
  if (outcome.done) return;
  throw new Fault(
    'deadline-exceeded',
    `${node.name} has its configuration, but is not a member after ${timeoutMs / 1000}s: ${outcome.reason} (see: talosctl cluster logs --name ${creation.request.name} ${node.name}); when the secrets of the cluster were changed since it was created, reset ${node.name} and apply a current configuration`,
  );
}

/** What a control plane that answers says about the node: whether it lists it, or why it does not reach it. */
type Opinion = { readonly isMember: boolean } | { readonly fault: Fault };

function decided(opinions: readonly Opinion[]): boolean {
  if (opinions.some((opinion) => 'isMember' in opinion && opinion.isMember)) return true;
  const failed = opinions.find((opinion) => 'fault' in opinion);
  if (failed !== undefined) throw failed.fault;
  return false;
}

/** Asks control planes at the same time, so that a dead one delays nothing. Those that do not answer have no opinion. */
async function opinionsOf(
  { creation: { parts }, node, talosconfig }: Join,
  endpoints: readonly string[],
  probe: NodeProbe,
  signal: AbortSignal,
): Promise<readonly Opinion[]> {
  const members = await parts.openMembersProbe(talosconfig);
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(opinionTimeoutMs)]);
  const opinions = endpoints.map(async (endpoint): Promise<readonly Opinion[]> => {
    const addresses = await members.addresses(endpoint, inTime).catch(() => undefined);
    if (addresses === undefined) return [];
    if (!addresses.includes(node.address)) return [{ isMember: false }];
    return [
      await probe.version(endpoint, node.address, inTime).then(
        () => ({ isMember: true }),
        (error: unknown) => ({ fault: faultFrom(error) }),
      ),
    ];
  });
  return (await Promise.all(opinions)).flat();
}

const reasonOf = (outcome: Outcome) => (outcome.done ? '' : outcome.reason);

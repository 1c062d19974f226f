import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { readResource } from '../health/read-resource.ts';
import type { NodeClient } from '../node-client.ts';
import type { TalosClient } from '../talos-client.ts';
import type { ClusterFacts, MemberFacts, NodeFacts, NodeSystems } from './cluster-facts.ts';

/** Timeout of the calls to a node, in milliseconds. A node that times out counts as unreachable. */
const answerTimeoutMs = 5000;

/** More members than etcd works with: a node that lists more is not believed, and the rest is not asked. */
export const mostMembers = 64;

export interface ReadClusterInit {
  readonly client: Pick<TalosClient, 'node'>;
  /** The nodes that are chosen for the action. */
  readonly nodes: readonly NodeClient[];
  readonly callerRoles?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

interface NodeAnswer extends NodeFacts {
  readonly members?: readonly EtcdMember[] | undefined;
}

/**
 * Asks the chosen nodes, in parallel, what `whatIf()` has to know, and then the other members of etcd whether they
 * answer. It never fails: what a node does not say is missing from the facts.
 */
export async function readClusterFacts(init: ReadClusterInit): Promise<ClusterFacts> {
  const { client, nodes: chosen, callerRoles, signal } = init;
  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  const first = limited();
  const answers = await Promise.all(chosen.map((node) => readNode(node, first)));
  const listed = answers.find(({ members }) => members !== undefined)?.members?.slice(0, mostMembers);
  const own = new Set(answers.map(({ etcd }) => etcd));
  const second = limited();
  const members =
    listed &&
    (await Promise.all(listed.map((member) => readMember(client, member, own.has(member.id), second))));
  return { nodes: answers.map(({ members: _, ...facts }) => facts), members, callerRoles };
}

async function readNode(node: NodeClient, signal: AbortSignal): Promise<NodeAnswer> {
  const { machine, name } = node;
  const part = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);
  const [etcd, services, stage, version, systems] = await Promise.all([
    readEtcd(node, signal),
    part(machine.serviceList({}, { signal })),
    part(readResource(node, machineStatus, signal)),
    part(machine.version({}, { signal })),
    readSystems(node, signal),
  ]);
  return {
    name,
    ...etcd,
    services: services?.messages[0]?.services.filter(({ state }) => state === 'Running').map(({ id }) => id),
    stage: typeof stage?.stage === 'string' ? stage.stage : undefined,
    mode: version?.messages[0]?.platform?.mode,
    systems,
  };
}

/** It never fails: a node that does not say it counts as one without systems. */
export async function readSystems(node: NodeClient, signal: AbortSignal): Promise<NodeSystems> {
  try {
    const status = await readResource(node, upgradeStatus, signal);
    if (status === undefined) return 'none';
    const isChosen = [status.trial, status.staged].some((text) => typeof text === 'string' && text !== '');
    return isChosen ? 'chosen' : 'kept';
  } catch {
    return 'none';
  }
}

const upgradeStatus = { namespace: 'runtime', type: 'UpgradeStatuses.nodewright.dev', id: 'upgrade' };
const machineStatus = { namespace: 'runtime', type: 'MachineStatuses.runtime.talos.dev', id: 'machine' };

async function readEtcd({ machine }: NodeClient, signal: AbortSignal) {
  try {
    const [list, status] = await Promise.all([
      machine.etcdMemberList({ queryLocal: true }, { signal }),
      machine.etcdStatus({}, { signal }),
    ]);
    const { memberId, leader } = status.messages[0]?.memberStatus ?? {};
    const isLeader = memberId !== undefined && memberId === leader;
    return { members: list.messages[0]?.members, etcd: memberId, isLeader };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    // A worker, which has no etcd, fails with one of these kinds. Any other failure leaves the question open.
    if (kind === 'failed-precondition' || kind === 'unimplemented') return { etcd: 'none' as const };
    return isAway(kind) ? { unreachable: message } : {};
  }
}

/** Whether the member answers. One without an address, or that the caller may not ask, counts as answering. */
async function readMember(
  client: Pick<TalosClient, 'node'>,
  { id, hostname, isLearner, clientUrls, peerUrls }: EtcdMember,
  isChosen: boolean,
  signal: AbortSignal,
): Promise<MemberFacts> {
  const address = hostOfUrl(clientUrls[0] ?? peerUrls[0]);
  const known = { id, hostname, isLearner };
  if (isChosen || isLearner || address === undefined) return { ...known, isAlive: true };
  try {
    await client.node(address).machine.etcdStatus({}, { signal });
    return { ...known, isAlive: true };
  } catch (error) {
    return { ...known, isAlive: !isAway(faultFrom(error).kind) };
  }
}

const isAway = (kind: string) => ['unavailable', 'deadline-exceeded', 'cancelled'].includes(kind);

/** The host of a URL of etcd, without the brackets of IPv6. */
export function hostOfUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') || undefined;
}

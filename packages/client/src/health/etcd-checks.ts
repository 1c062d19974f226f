import {
  EtcdMemberAlarm_AlarmType as AlarmType,
  type EtcdMember,
  type ServiceInfo,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { NodeClient } from '../node-client.ts';
import { askEach, type HealthCheck, ok, skip } from './health-check.ts';
import { serviceCheck, stateOf } from './service-check.ts';

/** The result of a call to the node's etcd; `undefined` when the node does not run etcd. */
async function unlessWithoutEtcd<T>(
  node: NodeClient,
  signal: AbortSignal,
  call: (machine: NodeClient['machine']) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await call(node.machine);
  } catch (error) {
    const { kind } = faultFrom(error);
    if (kind === 'unimplemented' || (kind === 'unavailable' && !(await hasEtcd(node, signal))))
      return undefined;
    throw error;
  }
}

/** Lists the etcd members as the node's etcd reports them; `undefined` when the node does not run etcd. */
export function membersOf(node: NodeClient, signal: AbortSignal): Promise<readonly EtcdMember[] | undefined> {
  return unlessWithoutEtcd(node, signal, async (machine) => {
    const { messages } = await machine.etcdMemberList({ queryLocal: false }, { signal });
    return messages[0]?.members ?? [];
  });
}

/** Whether the node has the service etcd. A node that is configured for etcd may be unable to run it. */
async function hasEtcd({ machine }: NodeClient, signal: AbortSignal): Promise<boolean> {
  const { messages } = await machine.serviceList({}, { signal });
  return messages[0]?.services.some(({ id }) => id === 'etcd') ?? false;
}

/** The addresses at which members are members. */
export const hostsOf = (members: readonly Pick<EtcdMember, 'peerUrls'>[]): string[] =>
  members.flatMap(({ peerUrls }) => peerUrls.map((url) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')));

const noEtcd = skip('no control plane has the service etcd');

const consistentMembers: HealthCheck = {
  name: 'etcd members to be consistent across nodes',
  async run(cluster, signal) {
    const answers = await askEach(cluster, cluster.nodes.controlPlanes, (node) => membersOf(node, signal));
    if ([...answers.values()].some((members) => members === undefined)) return noEtcd;
    const texts = [...answers].map(([address, members = []]) => {
      const rows = members.map(
        ({ id, hostname, isLearner }) => `${hostname}/${id}${isLearner ? '/learner' : ''}`,
      );
      return { address, text: rows.sort().join(' ') };
    });
    const other = texts.find(({ text }) => text !== texts[0]?.text);
    if (other === undefined) return ok;
    throw new Fault(
      'failed-precondition',
      `nodes ${texts[0]?.address} and ${other.address} know different members: ${texts[0]?.text} and ${other.text}`,
    );
  },
};

const membersAreControlPlanes: HealthCheck = {
  name: 'etcd members to be control plane nodes',
  async run(cluster, signal) {
    const { controlPlanes } = cluster.nodes;
    const members = await membersOf(cluster.node(controlPlanes[0] as string), signal);
    if (members === undefined) return noEtcd;
    const stranger = hostsOf(members).find((host) => !controlPlanes.includes(host));
    if (stranger === undefined) return ok;
    throw new Fault('failed-precondition', `etcd member ${stranger} is not a control plane node`);
  },
};

/** An etcd with an alarm is healthy as a service: it serves reads, and refuses writes. */
export const noAlarms: HealthCheck = {
  name: 'etcd to have no alarms',
  async run(cluster, signal) {
    const [first] = cluster.nodes.controlPlanes;
    // Each member knows the alarms of all.
    const alarms = await unlessWithoutEtcd(cluster.node(first as string), signal, async (machine) => {
      const { messages } = await machine.etcdAlarmList({}, { signal });
      return messages.flatMap(({ memberAlarms }) => memberAlarms);
    });
    if (alarms === undefined) return noEtcd;
    const raised = alarms.filter(({ alarm }) => alarm !== AlarmType.NONE);
    if (raised.length === 0) return ok;
    const texts = raised.map(({ memberId, alarm }) => `${nameOf(alarm)} of member ${memberId.toString(16)}`);
    const advice = raised.some(({ alarm }) => alarm === AlarmType.NOSPACE) ? ` (${spaceAdvice})` : '';
    throw new Fault('failed-precondition', `etcd has an alarm: ${texts.join(', ')}${advice}`);
  },
};

function nameOf(alarm: AlarmType): string {
  if (alarm === AlarmType.NOSPACE) return 'NOSPACE';
  return alarm === AlarmType.CORRUPT ? 'CORRUPT' : `unknown alarm ${alarm}`;
}

const spaceAdvice = 'free space with "talosctl etcd defrag", then run "talosctl etcd alarm disarm"';

/**
 * The state `Preparing` means that etcd waits to join a cluster. When every member waits, no cluster exists.
 */
const bootstrapAdvice = (services: readonly ServiceInfo[]) =>
  services.every((service) => stateOf(service) === 'Preparing')
    ? 'no control plane has been bootstrapped yet: run "talosctl bootstrap" for one of them'
    : undefined;

/** Source: Talos v1.14: health, checks 1 to 3. That of alarms is our own. */
export const etcdChecks: readonly HealthCheck[] = [
  serviceCheck('etcd to be healthy', 'etcd', bootstrapAdvice),
  consistentMembers,
  membersAreControlPlanes,
  noAlarms,
];

import { pause } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { hostOfUrl, mostMembers } from '@nodewright/client/what-if';
import {
  type EtcdMember,
  etcdMemberAlarm_AlarmTypeToJSON,
} from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { onlyMessage } from '../../nodes/only-message.ts';
import { plainError } from '../../render/plain-error.ts';
import type { EtcdMemberState } from '../model/etcd.ts';
import type { FeedContext } from './feed-context.ts';

/** A member that has not answered within this time counts as away. */
const answerTimeoutMs = 5000;
const leastIntervalMs = 2000;

/** Samples all members of etcd at intervals. */
export async function followEtcd(
  { node, client, signal, emit, now }: FeedContext,
  intervalMs: number,
): Promise<void> {
  while (!signal.aborted) {
    const timely = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
    try {
      const { members, alarms } = await listMembers(node, client, timely);
      const states = await Promise.all(members.map((member) => readMember(client, member, alarms, timely)));
      emit({
        kind: 'etcd-sampled',
        sample: { atMs: now().getTime(), elapsedMs: performance.now(), members: states },
      });
    } catch (error) {
      if (signal.aborted) return;
      emit({ kind: 'etcd-problem', message: plainError(faultFrom(error).message) });
    }
    await pause(Math.max(leastIntervalMs, intervalMs), signal);
  }
}

interface Listed {
  readonly members: readonly EtcdMember[];
  /** Names of alarms by member. */
  readonly alarms: ReadonlyMap<bigint, readonly string[]>;
}

/** The selected node may be a worker, or down: the other nodes are asked after it. */
async function listMembers(node: NodeClient, client: TalosClient, signal: AbortSignal): Promise<Listed> {
  let first: unknown;
  for (const { machine } of [node, ...client.targets.filter((target) => target !== node)]) {
    try {
      const [list, alarmed] = await Promise.all([
        // Also without a quorum: this is when somebody looks.
        machine.etcdMemberList({ queryLocal: true }, { signal }),
        machine.etcdAlarmList({}, { signal }).catch(() => undefined),
      ]);
      const alarms = new Map<bigint, string[]>();
      for (const { memberId, alarm } of alarmed?.messages[0]?.memberAlarms ?? []) {
        const name = etcdMemberAlarm_AlarmTypeToJSON(alarm);
        if (name !== 'NONE') alarms.set(memberId, [...(alarms.get(memberId) ?? []), name]);
      }
      return { members: onlyMessage(list).members.slice(0, mostMembers), alarms };
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

async function readMember(
  client: TalosClient,
  member: EtcdMember,
  alarms: Listed['alarms'],
  signal: AbortSignal,
): Promise<EtcdMemberState> {
  const known = { member, alarms: alarms.get(member.id) ?? [] };
  const address = hostOfUrl(member.clientUrls[0] ?? member.peerUrls[0]);
  if (address === undefined) return { ...known, status: undefined, problem: 'it has not started yet' };
  try {
    const { memberStatus } = onlyMessage(await client.node(address).machine.etcdStatus({}, { signal }));
    return { ...known, status: memberStatus, problem: undefined };
  } catch (error) {
    return { ...known, status: undefined, problem: plainError(faultFrom(error).message) };
  }
}

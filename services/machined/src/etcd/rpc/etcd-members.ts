import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { forfeitLeadership } from '../service/forfeit-leadership.ts';
import { type LeaveEtcdInit, leaveEtcd } from '../service/leave-etcd.ts';
import { removeEtcdMember } from '../service/remove-etcd-member.ts';

export interface EtcdMembersInit extends Omit<LeaveEtcdInit, 'service'> {
  readonly access: EtcdAccess;
  /** The etcd service; `undefined` on a node that cannot run etcd. */
  readonly service: LeaveEtcdInit['service'] | undefined;
}

type EtcdMembersCalls = Pick<
  MachineServiceImplementation,
  'etcdMemberList' | 'etcdRemoveMemberByID' | 'etcdLeaveCluster' | 'etcdForfeitLeadership'
>;

/** Implements the RPCs for the members of the etcd cluster. Source: Talos v1.14: etcd RPCs. */
export function createEtcdMembers(init: EtcdMembersInit): EtcdMembersCalls {
  const { access } = init;
  return {
    async etcdMemberList({ queryLocal }, { signal }) {
      await using client = await (queryLocal ? access.openLocal() : access.openCluster());
      const members = await client.members({ linearizable: !queryLocal, signal });
      const shown = members.map(({ id, name: hostname, peerUrls, clientUrls, isLearner }) => ({
        ...{ id, hostname, isLearner },
        peerUrls: [...peerUrls],
        clientUrls: [...clientUrls],
      }));
      return { messages: [{ legacyMembers: members.map(({ name }) => name), members: shown }] };
    },
    async etcdRemoveMemberByID({ memberId }, { signal }) {
      await removeEtcdMember(access, memberId, signal);
      return { messages: [{}] };
    },
    async etcdLeaveCluster(_request, { signal }) {
      const { service } = init;
      if (service === undefined)
        throw new Fault(
          'failed-precondition',
          'this node was started without etcd: there is nothing to leave',
        );
      await leaveEtcd({ ...init, service }, signal);
      return { messages: [{}] };
    },
    async etcdForfeitLeadership(_request, { signal }) {
      return { messages: [{ member: (await forfeitLeadership(access, init.timers, signal)) ?? '' }] };
    },
  };
}

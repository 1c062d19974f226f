import type { Member } from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import type { EndpointSet } from '../connection/endpoint-set.ts';
import type { EtcdClient } from '../etcd-client.ts';
import { EtcdFault } from '../etcd-fault.ts';
import type { EtcdMember } from './etcd-member.ts';

type MemberCalls = Pick<EtcdClient, 'members' | 'addLearner' | 'removeMember' | 'updateMember' | 'promote'>;

/** Changes of members need a quorum, which takes longer in a cluster that has just lost a member. */
const timeoutMs = 15_000;

function memberFrom({ ID: id, name, peerURLs, clientURLs, isLearner }: Member): EtcdMember {
  return { id, name, peerUrls: peerURLs, clientUrls: clientURLs, isLearner };
}

/** The calls of the Cluster service. */
export function memberCalls(endpoints: EndpointSet): MemberCalls {
  return {
    members: ({ linearizable = false, ...options } = {}) =>
      endpoints.call(
        {
          method: 'Cluster/MemberList',
          repeatable: true,
          run: async ({ cluster }, attempt) =>
            (await cluster.memberList({ linearizable }, attempt)).members.map(memberFrom),
        },
        options,
      ),
    addLearner: (peerUrls, options) =>
      endpoints.call(
        {
          method: 'Cluster/MemberAdd',
          repeatable: false,
          timeoutMs,
          run: async ({ cluster }, attempt) => {
            const reply = await cluster.memberAdd({ peerURLs: [...peerUrls], isLearner: true }, attempt);
            if (reply.member === undefined)
              throw new EtcdFault('internal', 'etcd did not return the added member');
            return { member: memberFrom(reply.member), members: reply.members.map(memberFrom) };
          },
        },
        options,
      ),
    removeMember: (id, options) =>
      endpoints.call(
        {
          method: 'Cluster/MemberRemove',
          repeatable: false,
          timeoutMs,
          run: async ({ cluster }, attempt) =>
            (await cluster.memberRemove({ ID: id }, attempt)).members.map(memberFrom),
        },
        options,
      ),
    updateMember: (id, peerUrls, options) =>
      endpoints.call(
        {
          method: 'Cluster/MemberUpdate',
          repeatable: false,
          timeoutMs,
          run: async ({ cluster }, attempt) =>
            (await cluster.memberUpdate({ ID: id, peerURLs: [...peerUrls] }, attempt)).members.map(
              memberFrom,
            ),
        },
        options,
      ),
    promote: (id, options) =>
      endpoints.call(
        {
          method: 'Cluster/MemberPromote',
          repeatable: false,
          timeoutMs,
          run: async ({ cluster }, attempt) =>
            (await cluster.memberPromote({ ID: id }, attempt)).members.map(memberFrom),
        },
        options,
      ),
  };
}

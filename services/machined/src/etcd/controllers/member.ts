import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { etcdMembers, services } from '@nodewright/state/kinds';

/**
 * Requests the member id from the node's own etcd, as hexadecimal text.
 *
 * @throws Fault while etcd does not answer
 */
export type AskMemberId = (signal: AbortSignal) => Promise<string>;

const service = pointerTo(services, 'etcd');
const tryAgainMs = 1000;

/**
 * Publishes the id of this node's member while its etcd runs. A finalizer on the service resource ensures
 * that the member resource is removed before it. Source: Talos v1.14: etcd.MemberController.
 */
export function createEtcdMemberController(ask: AskMemberId): Controller {
  return {
    name: 'etcd.MemberController',
    inputs: [strong(services, service.id)],
    outputs: [exclusive(etcdMembers)],
    async reconcile(pass) {
      const running = await pass.get(service);
      if (running?.metadata.phase !== 'running') {
        await pass.replace(etcdMembers, []);
        if (running !== undefined) await pass.release(service);
        return;
      }
      await pass.hold(service);
      try {
        const memberID = await ask(pass.signal);
        await pass.replace(etcdMembers, [{ id: 'local', spec: { memberID } }]);
      } catch (error) {
        if (pass.signal.aborted) throw error;
        pass.log.debug({ error: faultFrom(error).message }, 'the etcd member id is not available yet');
        pass.wakeAfter(tryAgainMs);
      }
    },
  };
}

import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { etcdMembers, services } from '@nodewright/state/kinds';

/** Asks the node's own etcd for the id of its member, as people read it. @throws Fault while it does not answer */
export type AskMemberId = (signal: AbortSignal) => Promise<string>;

const service = pointerTo(services, 'etcd');
const tryAgainMs = 1000;

/**
 * The id of this node's member, while its etcd runs. It holds the service, so that whoever sees the one go has seen the
 * other go before. Source: Talos v1.14: etcd.MemberController.
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
        pass.log.debug({ error: faultFrom(error).message }, 'etcd does not tell who it is yet');
        pass.wakeAfter(tryAgainMs);
      }
    },
  };
}

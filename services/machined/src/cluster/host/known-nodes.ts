import { Fault } from '@nodewright/fault';
import type { KnownNodes } from '../domain/check-certificate.ts';
import type { NodeRegistry } from './node-registry.ts';

/**
 * The names and addresses that a certificate is checked against. trustd's clients repeat a request that fails, so nothing is
 * signed by guess while this node starts:
 *
 * - Before it knows its own names, it signs nothing.
 * - A node without data of etcd signs without a list. Its cluster may not be bootstrapped, and workers get their certificates before
 *   that. The endpoints that it was configured with count, and the names and addresses of the control planes that the creator of the
 *   cluster named.
 * - A node with data waits for the first list. While there is no quorum, the last list counts, so workers can renew. After a restart
 *   without a quorum there is no list, and etcd serves no clients: such a node signs nothing, because it could not tell a worker
 *   that renews from one that asks for the name of a control plane. A control plane that was not restarted signs, and the
 *   certificates that workers have last for at least another 12 h. Nothing that restores the quorum needs one of them.
 *
 * @param hasEtcdData whether this node has data of etcd
 * @throws Fault `unavailable` when it is too early
 */
export async function knownNodes(
  registry: Pick<NodeRegistry, 'own' | 'listed' | 'reserved'>,
  hasEtcdData: () => Promise<boolean>,
): Promise<KnownNodes> {
  const needsList = registry.listed() === undefined && (await hasEtcdData());
  const [own, reserved, listed] = [registry.own(), registry.reserved(), registry.listed()];
  if (own === undefined || reserved === undefined)
    throw new Fault('unavailable', 'this control plane does not know its own names yet, or is being reset');
  if (needsList && listed === undefined)
    throw new Fault('unavailable', 'this control plane has not yet read from etcd which names are taken');
  const { nodes = [], controlPlanes = [] } = listed ?? {};
  return {
    known: [own, ...nodes.filter(({ nodeId }) => nodeId !== own.nodeId)],
    controlPlanes: controlPlanes.filter(({ record }) => record.nodeId !== own.nodeId),
    reserved,
  };
}

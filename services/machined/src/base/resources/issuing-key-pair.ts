import { Fault } from '@nodewright/fault';
import type { NodeView } from './node-view.ts';

/**
 * Returns the CA of this node's configuration with its key, to issue certificates. The key is a secret.
 *
 * @throws Fault `failed-precondition` when the node holds no key
 */
export function issuingKeyPair(view: Pick<NodeView, 'configuration'>): { certificate: string; key: string } {
  const { certificate, key } = view.configuration()?.issuingCA ?? {};
  if (certificate === undefined || key === undefined) {
    throw new Fault('failed-precondition', 'this node holds no key of the CA: it cannot issue certificates');
  }
  return { certificate, key };
}

import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { unknownNodeReason } from '@nodewright/contract';
import { dialTls } from '@nodewright/h2';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';

/**
 * Connects to the apid of a node by the text that the user typed: a member of the cluster, an address, or a name that
 * the system can resolve. The certificate of the other side must be for that text, wherever the address came from.
 */
export async function dialNode(
  identity: GatewayIdentity,
  node: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { client } = identity;
  // Routing refuses such calls; the certificate may have gone since.
  if (client === undefined) throw new Error('this node has no client certificate any more');
  const addresses = await resolveNode(identity, node);
  return dialTls(
    {
      addresses,
      port,
      identity: node,
      certificate: client.certificate,
      key: client.key,
      acceptedCas: identity.acceptedCas,
    },
    signal,
  );
}

/** Addresses of a node. Rejects with a phrase when there are none. */
async function resolveNode(
  { members, sharedNames }: GatewayIdentity,
  node: string,
): Promise<readonly string[]> {
  if (isIP(node) !== 0) return [node];
  const known = members.get(node.toLowerCase());
  if (known !== undefined && known.length > 0) return known;
  const holders = sharedNames.get(node.toLowerCase());
  if (holders !== undefined) {
    // The system's resolver must not choose between them.
    throw new Error(`several members go by this name: ${holders}; use a full name or an address`);
  }
  try {
    const found = await lookup(node, { all: true });
    return found.map(({ address }) => address);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${unknownNodeReason} (${code ?? error})`);
  }
}

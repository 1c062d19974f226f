import { isIP, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { unlessAborted } from '@nodewright/async';
import { unknownNodeReason } from '@nodewright/contract';
import { dialTls } from '@nodewright/h2';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';

/** Looks up the addresses of a name with the resolver of the system, which cannot be aborted. */
async function lookUp(name: string): Promise<readonly string[]> {
  const lookup = promisify(process.getBuiltinModule('node:dns').lookup);
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

/**
 * Connects to the apid of a node. `node` is the text that the user typed: a cluster member, an address, or a
 * name that the system can resolve. The server's certificate must be valid for exactly this text.
 */
export async function dialNode(
  identity: GatewayIdentity,
  node: string,
  port: number,
  signal: AbortSignal,
  resolveName = lookUp,
): Promise<Socket> {
  const { client } = identity;
  // Routing refuses such calls, but the certificate may have been removed since.
  if (client === undefined) throw new Error('this node has no client certificate');
  const addresses = await resolveNode(identity, node, signal, resolveName);
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

/** Resolves the addresses of a node. Rejects with an Error whose message is a phrase, also when aborted. */
async function resolveNode(
  { members, sharedNames }: GatewayIdentity,
  node: string,
  signal: AbortSignal,
  resolveName: typeof lookUp,
): Promise<readonly string[]> {
  if (isIP(node) !== 0) return [node];
  const known = members.get(node.toLowerCase());
  if (known !== undefined && known.length > 0) return known;
  const holders = sharedNames.get(node.toLowerCase());
  if (holders !== undefined) {
    // The system's resolver must not choose one of these members.
    throw new Error(`several members have this name: ${holders}; use a full name or an address`);
  }
  try {
    return await unlessAborted(resolveName(node), signal);
  } catch (error) {
    if (signal.aborted) throw new Error('its name was not resolved in time');
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${unknownNodeReason} (${code ?? error})`);
  }
}

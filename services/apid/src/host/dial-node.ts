import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { unknownNodeReason } from '@nodewright/contract';
import { dialTls, tlsCredentials } from '@nodewright/h2';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { NameLookUps, TooManyLookUps } from './name-look-ups.ts';

/** Of identities that are in force. */
const knownCredentials = new WeakMap<GatewayIdentity, SecureContext>();

/** Those of the system's resolver. */
const lookUps = new NameLookUps(async (name) => {
  const lookup = promisify(process.getBuiltinModule('node:dns').lookup);
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
});

/**
 * Connects to the apid of a node. `node` is the text that the user typed: a cluster member, an address, or a
 * name that the system can resolve. The server's certificate must be valid for exactly this text.
 */
export async function dialNode(
  identity: GatewayIdentity,
  node: string,
  port: number,
  signal: AbortSignal,
  names = lookUps,
): Promise<Socket> {
  const credentials = credentialsOf(identity);
  const addresses = await resolveNode(identity, node, signal, names);
  return dialTls({ addresses, port, identity: node, credentials }, signal);
}

function credentialsOf(identity: GatewayIdentity): SecureContext {
  const known = knownCredentials.get(identity);
  if (known !== undefined) return known;
  const { client, acceptedCas } = identity;
  // Routing refuses such calls, but the certificate may have been removed since.
  if (client === undefined) throw new Error('this node has no client certificate');
  const made = tlsCredentials({ ...client, acceptedCas });
  knownCredentials.set(identity, made);
  return made;
}

/** Resolves the addresses of a node. Rejects with an Error whose message is a phrase, also when aborted. */
async function resolveNode(
  { members, sharedNames }: GatewayIdentity,
  node: string,
  signal: AbortSignal,
  names: NameLookUps,
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
    return await names.lookUp(node, signal);
  } catch (error) {
    if (signal.aborted) throw new Error('its name was not resolved in time');
    if (error instanceof TooManyLookUps) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${unknownNodeReason} (${code ?? error})`);
  }
}

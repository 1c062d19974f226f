import { X509Certificate } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { loadPrivateKey, tlsPrivateKey } from '@nodewright/pki';
import { isIssued } from './issued-certificate.ts';
import type { ServiceFacts, UsableFacts } from './service-facts.ts';

/** A certificate and its private key, both as PEM. The key is a secret. */
export interface GatewayKeyPair {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Everything that machined configures: where apid listens, its certificates, the CAs it trusts, and the other
 * nodes.
 */
export interface GatewayIdentity {
  /** `host` is `undefined` for all addresses. */
  readonly listen: { readonly host: string | undefined; readonly port: number };
  readonly nodeRoutingDisabled: boolean;
  readonly readonlyRoleMode: boolean;
  readonly skipVerifyingClientCert: boolean;
  /**
   * Why this worker has no certificate of its cluster; undefined on every other node. While it has none, a client without a certificate
   * is admitted to `Version` and gets this text for every other call.
   */
  readonly waitsFor: string | undefined;
  readonly server: GatewayKeyPair;
  /** Certificate for connections to other nodes; `undefined` on nodes that must not forward calls. */
  readonly client: GatewayKeyPair | undefined;
  /** PEM; each entry may hold several certificates. */
  readonly acceptedCas: readonly string[];
  /** The name of this node in error texts. */
  readonly hostname: string;
  /** Names and addresses of this node as call targets. */
  readonly localTargets: ReadonlySet<string>;
  /**
   * Addresses of each cluster member by its lower-case host name, with and without the domain; the preferred
   * address is first.
   */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /**
   * Lower-case names that resolve to no node because several nodes share them. The value lists those nodes
   * for an error text.
   */
  readonly sharedNames: ReadonlyMap<string, string>;
}

/**
 * Validates the node's state and builds the identity from it.
 * @throws Fault `invalid-argument` that names the problem and never contains a key.
 */
export function identityFromFacts(facts: UsableFacts): GatewayIdentity {
  const { config, certificates, members } = facts;
  const { server, client } = certificates;
  if (server === undefined) throw new Fault('invalid-argument', 'the server certificate is missing');
  const acceptedCas = certificates.acceptedCAs.map(({ crt }) => crt);
  for (const [index, pem] of acceptedCas.entries()) checkCertificate(pem, `acceptedCAs[${index}]`);
  if (acceptedCas.length === 0 && !config.skipVerifyingClientCert) {
    throw new Fault('invalid-argument', 'acceptedCAs is empty: no client could connect');
  }
  const names = ownNames(facts);
  return {
    listen: parseListenAddress(config.listenAddress),
    nodeRoutingDisabled: config.nodeRoutingDisabled,
    readonlyRoleMode: config.readonlyRoleMode,
    skipVerifyingClientCert: config.skipVerifyingClientCert,
    waitsFor: strangersReason(facts),
    server: checkKeyPair(server, 'server'),
    client: client === undefined ? undefined : checkKeyPair(client, 'client'),
    acceptedCas,
    hostname: names[0] ?? 'this node',
    localTargets: new Set(names),
    ...resolveNames(members),
  };
}

/**
 * A control plane, which has a client certificate, never admits strangers, nor does a worker with a certificate of its cluster. Maintenance
 * has rules of its own.
 */
function strangersReason({ config, certificates, wait }: UsableFacts): string | undefined {
  if (wait === undefined || certificates.client !== undefined) return undefined;
  return config.skipVerifyingClientCert || isIssued(certificates) ? undefined : wait.reason;
}

/**
 * The names of this node, the shortest first, and its addresses. Source: Talos v1.14: routing decision, local
 * target.
 */
function ownNames({ hostname, addresses }: ServiceFacts): string[] {
  const { hostname: name = '', domainname = '' } = hostname ?? {};
  const names = name === '' || domainname === '' ? [name] : [name, `${name}.${domainname}`];
  const plain = (addresses?.addresses ?? []).map((address) => address.split('/')[0] ?? '');
  return [...names, ...plain].filter((text) => text !== '');
}

/**
 * Maps each member's name, with and without its domain, to its addresses. A name that several members share
 * resolves to the only control plane among them, otherwise to no node. Without this rule, a node could report
 * the name of another node and receive its calls.
 */
function resolveNames(members: ServiceFacts['members']): Pick<GatewayIdentity, 'members' | 'sharedNames'> {
  const holders = new Map<string, ServiceFacts['members'][number][]>();
  for (const member of members) {
    const full = member.hostname.toLowerCase();
    const short = full.split('.', 1)[0] ?? '';
    for (const name of new Set([full, short])) {
      if (name !== '') holders.set(name, [...(holders.get(name) ?? []), member]);
    }
  }
  const addresses = new Map<string, readonly string[]>();
  const sharedNames = new Map<string, string>();
  for (const [name, all] of holders) {
    const controlPlanes = all.filter(
      ({ machineType }) => machineType !== 'worker' && machineType !== 'unknown',
    );
    const [only, second] = all.length === 1 ? all : controlPlanes;
    if (only !== undefined && second === undefined) addresses.set(name, only.addresses);
    else sharedNames.set(name, holdersText(all));
  }
  return { members: addresses, sharedNames };
}

/** An error text names this many members and counts the rest. */
const maxNamedHolders = 4;

function holdersText(holders: ServiceFacts['members']): string {
  const texts = holders
    .map(({ hostname, addresses: [address] }) => {
      const name = JSON.stringify(hostname);
      return address === undefined ? name : `${name} at ${address}`;
    })
    .sort();
  const more = texts.length - maxNamedHolders;
  return [...texts.slice(0, maxNamedHolders), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Accepts `:50000`, `10.5.0.2:50000` and `[fd00::2]:50000`. */
function parseListenAddress(text: string): GatewayIdentity['listen'] {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new Fault('invalid-argument', `listenAddress must be host:port, not ${JSON.stringify(text)}`);
  }
  const host = match[1] ?? match[2];
  return { host: host === '' ? undefined : host, port };
}

function checkKeyPair({ crt, key }: { crt: string; key: string }, name: string): GatewayKeyPair {
  const leaf = checkCertificate(crt, `${name}.crt`);
  let matches: boolean;
  try {
    matches = leaf.checkPrivateKey(loadPrivateKey(key));
  } catch {
    // The error has no `cause`, because a cause could put parts of the key into the log.
    throw new Fault('invalid-argument', `${name}.key is not a private key in PEM`);
  }
  if (!matches) throw new Fault('invalid-argument', `${name}.key is not the key of ${name}.crt`);
  return { certificate: crt, key: tlsPrivateKey(key) };
}

function checkCertificate(pem: string, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Fault('invalid-argument', `${name} is not a certificate in PEM`);
  }
}

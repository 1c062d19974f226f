import { X509Certificate } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { loadPrivateKey, tlsPrivateKey } from '@nodewright/pki';
import type { ServiceFacts, UsableFacts } from './service-facts.ts';

/** A certificate and its key, both PEM as TLS takes them. The key is a secret. */
export interface GatewayKeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Everything that apid is given: how to listen, who it is, whom it trusts, where the other nodes are. */
export interface GatewayIdentity {
  /** Host undefined: every address. */
  readonly listen: { readonly host: string | undefined; readonly port: number };
  readonly nodeRoutingDisabled: boolean;
  readonly readonlyRoleMode: boolean;
  readonly skipVerifyingClientCert: boolean;
  readonly server: GatewayKeyPair;
  /** Shown to other nodes; undefined where nothing may be forwarded. */
  readonly client: GatewayKeyPair | undefined;
  /** PEM, one certificate or more an entry. */
  readonly acceptedCas: readonly string[];
  /** What this node is called in messages. */
  readonly hostname: string;
  /** Targets that are this node. */
  readonly localTargets: ReadonlySet<string>;
  /** Addresses of the nodes of the cluster by lower-case host name, with the domain and without it, the preferred one first. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Names, in lower case, that lead nowhere because several nodes go by them, with these nodes as text for an error. */
  readonly sharedNames: ReadonlyMap<string, string>;
}

/** Checks and shapes what the node's state tells. Throws a Fault `invalid-argument` that says what is wrong, without any key. */
export function identityFromFacts(facts: UsableFacts): GatewayIdentity {
  const { config, certificates, members } = facts;
  const { server, client } = certificates;
  if (server === undefined) throw new Fault('invalid-argument', 'server is missing');
  const acceptedCas = certificates.acceptedCAs.map(({ crt }) => crt);
  for (const [index, pem] of acceptedCas.entries()) checkCertificate(pem, `acceptedCAs[${index}]`);
  if (acceptedCas.length === 0 && !config.skipVerifyingClientCert) {
    throw new Fault('invalid-argument', 'acceptedCAs is empty: no client could be let in');
  }
  const names = ownNames(facts);
  return {
    listen: parseListenAddress(config.listenAddress),
    nodeRoutingDisabled: config.nodeRoutingDisabled,
    readonlyRoleMode: config.readonlyRoleMode,
    skipVerifyingClientCert: config.skipVerifyingClientCert,
    server: checkKeyPair(server, 'server'),
    client: client === undefined ? undefined : checkKeyPair(client, 'client'),
    acceptedCas,
    hostname: names[0] ?? 'this node',
    localTargets: new Set(names),
    ...resolveNames(members),
  };
}

/** The names of this node, the shortest first, and its addresses. Source: Talos v1.14: routing decision, local target. */
function ownNames({ hostname, addresses }: ServiceFacts): string[] {
  const { hostname: name = '', domainname = '' } = hostname ?? {};
  const names = name === '' || domainname === '' ? [name] : [name, `${name}.${domainname}`];
  const plain = (addresses?.addresses ?? []).map((address) => address.split('/')[0] ?? '');
  return [...names, ...plain].filter((text) => text !== '');
}

/**
 * Where each name leads: whole ones, and those without the domain. A name that several nodes go by leads to the only
 * control plane among them, else to none: whoever may report itself could otherwise take the calls of another node.
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

/** Nodes that an error names; more are counted. */
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

/** `:50000`, `10.5.0.2:50000` or `[fd00::2]:50000`. */
function parseListenAddress(text: string): GatewayIdentity['listen'] {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new Fault('invalid-argument', `listenAddress wants host:port, not ${JSON.stringify(text)}`);
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
    // No cause: nothing of a key may get into a log.
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

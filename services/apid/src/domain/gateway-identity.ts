import { X509Certificate } from 'node:crypto';
import { ApidRuntime, type KeyPair } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault } from '@nodewright/fault';
import { loadPrivateKey, tlsPrivateKey } from '@nodewright/pki';

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
  /** Addresses of the nodes of the cluster by lower-case host name, the preferred one first. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/** Reads what machined wrote: `ApidRuntime` as protobuf JSON. Throws a Fault `invalid-argument` that says what is wrong. */
export function identityFromJson(text: string): GatewayIdentity {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    // Node's message quotes the text, in which there are keys.
    throw new Fault('invalid-argument', 'it is not JSON', { cause: (error as Error).name });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Fault('invalid-argument', 'it is not a JSON object');
  }
  return identityFromRuntime(ApidRuntime.fromJSON(json));
}

function identityFromRuntime(runtime: ApidRuntime): GatewayIdentity {
  if (runtime.server === undefined) throw new Fault('invalid-argument', 'server is missing');
  for (const [index, pem] of runtime.acceptedCas.entries()) checkCertificate(pem, `acceptedCas[${index}]`);
  if (runtime.acceptedCas.length === 0 && !runtime.skipVerifyingClientCert) {
    throw new Fault('invalid-argument', 'acceptedCas is empty: no client could be let in');
  }
  const names = [runtime.hostname, runtime.fqdn, ...runtime.addresses].filter((name) => name !== '');
  return {
    listen: parseListenAddress(runtime.listenAddress),
    nodeRoutingDisabled: runtime.nodeRoutingDisabled,
    readonlyRoleMode: runtime.readonlyRoleMode,
    skipVerifyingClientCert: runtime.skipVerifyingClientCert,
    server: checkKeyPair(runtime.server, 'server'),
    client: runtime.client === undefined ? undefined : checkKeyPair(runtime.client, 'client'),
    acceptedCas: runtime.acceptedCas,
    hostname: names[0] ?? 'this node',
    localTargets: new Set(names),
    members: new Map(
      runtime.members.map(({ hostname, addresses }) => [hostname.toLowerCase(), addresses] as const),
    ),
  };
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

function checkKeyPair({ certificate, key }: KeyPair, name: string): GatewayKeyPair {
  const leaf = checkCertificate(certificate, `${name}.certificate`);
  let matches: boolean;
  try {
    matches = leaf.checkPrivateKey(loadPrivateKey(key));
  } catch {
    // No cause: nothing of a key may get into a log.
    throw new Fault('invalid-argument', `${name}.key is not a private key in PEM`);
  }
  if (!matches) throw new Fault('invalid-argument', `${name}.key is not the key of ${name}.certificate`);
  return { certificate, key: tlsPrivateKey(key) };
}

function checkCertificate(pem: string, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Fault('invalid-argument', `${name} is not a certificate in PEM`);
  }
}

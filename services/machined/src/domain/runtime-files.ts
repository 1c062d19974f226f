import { ports } from '@nodewright/contract';
import {
  ApidRuntime,
  type KeyPair,
  type Member,
  TrustdRuntime,
} from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { listenAddressOf, type NodeFacts } from './node-facts.ts';

/** Certificates and keys that the node holds at one time. The keys are secrets. */
export interface Identity {
  readonly apidServer: KeyPair;
  /** Only nodes that forward calls have one. */
  readonly apidClient?: KeyPair;
  /** PEM, each entry one certificate or more. */
  readonly acceptedCAs: readonly string[];
  /** What trustd needs; only on control planes. */
  readonly trustd?: { readonly server: KeyPair; readonly issuingCa: KeyPair; readonly token: string };
}

/** The file that apid reads: protobuf JSON of `ApidRuntime`. It holds private keys. */
export function apidRuntimeText(node: NodeFacts, identity: Identity, members: readonly Member[]): string {
  const runtime = ApidRuntime.fromPartial({
    listenAddress: listenAddressOf(node, ports.apid),
    server: identity.apidServer,
    client: identity.apidClient,
    acceptedCas: [...identity.acceptedCAs],
    hostname: node.hostname,
    fqdn: node.hostname,
    addresses: [...node.addresses],
    members: [...members],
  });
  return `${JSON.stringify(ApidRuntime.toJSON(runtime))}\n`;
}

/** The file that trustd reads, or undefined on a node without trustd. It holds the CA's key and the token. */
export function trustdRuntimeText(node: NodeFacts, { trustd, acceptedCAs }: Identity): string | undefined {
  if (trustd === undefined) return undefined;
  const runtime = TrustdRuntime.fromPartial({
    listenAddress: listenAddressOf(node, ports.trustd),
    server: trustd.server,
    issuingCa: trustd.issuingCa,
    acceptedCas: [...acceptedCAs],
    token: trustd.token,
  });
  return `${JSON.stringify(TrustdRuntime.toJSON(runtime))}\n`;
}

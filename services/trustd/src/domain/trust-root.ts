import { TrustdRuntime } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault, Secret } from '@nodewright/fault';
import { assertIssuer, type CertificateAndKey, readCertificates } from '@nodewright/pki';

/** Everything that trustd works with, complete. */
export interface TrustRoot {
  /** host:port; an empty host means every address. */
  readonly listenAddress: string;
  readonly server: CertificateAndKey;
  readonly issuingCa: CertificateAndKey;
  /** PEM of all accepted CAs, one after the other: what a joining node is to trust. */
  readonly acceptedCas: string;
  readonly token: Secret;
}

function present<T>(value: T | undefined, field: string): T {
  if (value === undefined || value === '')
    throw new Fault('invalid-argument', `the runtime file has no ${field}`);
  return value;
}

const endWithLineBreak = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/**
 * Checks that the root can sign and that joining nodes can trust it: half a root would answer every node with an error,
 * or leave it with nothing to trust.
 */
function assertComplete({ issuingCa, acceptedCas }: TrustRoot): void {
  assertIssuer(issuingCa);
  if (readCertificates(acceptedCas).length === 0) {
    throw new Fault('invalid-argument', 'acceptedCas of the runtime file hold no certificate');
  }
}

/** Reads a `suite.runtime.v1.TrustdRuntime` in protobuf JSON. The Fault of a bad one names the field, never a value. */
export function parseTrustRoot(bytes: Uint8Array): TrustRoot {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new Fault('invalid-argument', 'the runtime file is not JSON');
  }
  if (json === null || typeof json !== 'object')
    throw new Fault('invalid-argument', 'the runtime file is not an object');
  const runtime = TrustdRuntime.fromJSON(json);
  const root = {
    listenAddress: present(runtime.listenAddress, 'listenAddress'),
    server: present(runtime.server, 'server'),
    issuingCa: present(runtime.issuingCa, 'issuingCa'),
    acceptedCas: present(runtime.acceptedCas.map(endWithLineBreak).join(''), 'acceptedCas'),
    token: new Secret(present(runtime.token, 'token')),
  };
  assertComplete(root);
  return root;
}

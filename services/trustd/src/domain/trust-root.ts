import { TrustdRuntime } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault, Secret } from '@nodewright/fault';
import type { CertificateAndKey } from '@nodewright/pki';

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
  return {
    listenAddress: present(runtime.listenAddress, 'listenAddress'),
    server: present(runtime.server, 'server'),
    issuingCa: present(runtime.issuingCa, 'issuingCa'),
    acceptedCas: present(runtime.acceptedCas.map(endWithLineBreak).join(''), 'acceptedCas'),
    token: new Secret(present(runtime.token, 'token')),
  };
}

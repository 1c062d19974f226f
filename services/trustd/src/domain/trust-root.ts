import { Fault, Secret } from '@nodewright/fault';
import { assertIssuer, type CertificateAndKey, readCertificates } from '@nodewright/pki';
import type { OsRootSecretSpec, TrustdCertificateSpec } from '@nodewright/state/kinds';

/** Everything that trustd works with, complete. */
export interface TrustRoot {
  readonly server: CertificateAndKey;
  readonly issuingCa: CertificateAndKey;
  /** PEM of all accepted CAs, one after the other: what a joining node is to trust. */
  readonly acceptedCas: string;
  readonly token: Secret;
}

/** What the state of the node tells trustd. Source: Talos v1.14: resources readable by trustd. */
export interface RootFacts {
  readonly certificates: TrustdCertificateSpec | undefined;
  readonly root: OsRootSecretSpec | undefined;
}

function present<T>(value: T | undefined, field: string): T {
  if (value === undefined || value === '')
    throw new Fault('invalid-argument', `the root of trust has no ${field}`);
  return value;
}

const endWithLineBreak = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
const pairOf = ({ crt, key }: { crt: string; key: string }) => ({ certificate: crt, key });

/**
 * The root that trustd can work with; undefined while a part of it is not there yet. Half a root would answer every node
 * with an error, or leave it with nothing to trust: that is a Fault, which names the field and never a value.
 */
export function trustRootFrom({ certificates, root }: RootFacts): TrustRoot | undefined {
  if (certificates === undefined || root === undefined) return undefined;
  const accepted = root.acceptedCAs.map(({ crt }) => endWithLineBreak(crt)).join('');
  const complete = {
    server: pairOf(present(certificates.server, 'server certificate')),
    issuingCa: pairOf(present(root.issuingCA, 'issuing CA')),
    acceptedCas: present(accepted, 'accepted CAs'),
    token: new Secret(present(root.token, 'token')),
  };
  assertIssuer(complete.issuingCa);
  if (readCertificates(complete.acceptedCas).length === 0) {
    throw new Fault('invalid-argument', 'the accepted CAs of the root of trust hold no certificate');
  }
  return complete;
}

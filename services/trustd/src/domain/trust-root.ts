import { Fault, Secret } from '@nodewright/fault';
import { assertIssuer, type CertificateAndKey, readCertificates } from '@nodewright/pki';
import type { OsRootSecretSpec, TrustdCertificateSpec } from '@nodewright/state/kinds';

/** The keys, certificates and token that trustd needs, all of them present. */
export interface TrustRoot {
  readonly server: CertificateAndKey;
  readonly issuingCa: CertificateAndKey;
  /** PEM of all accepted CAs, concatenated. A joining node must trust them. */
  readonly acceptedCas: string;
  readonly token: Secret;
}

/**
 * The resources that trustd reads from the node's state. Source: Talos v1.14: resources readable by trustd.
 */
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
 * Builds the root of trust; `undefined` while one of the two resources does not exist. An incomplete root
 * would fail every call, or leave a node without CAs to trust, so it is an error.
 * @throws Fault `invalid-argument` that names the missing field and never contains a value
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
    throw new Fault('invalid-argument', 'the accepted CAs of the root of trust contain no certificate');
  }
  return complete;
}

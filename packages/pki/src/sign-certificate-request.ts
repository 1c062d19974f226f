import { Fault, faultFrom } from '@nodewright/fault';
import { buildCertificate } from './build-certificate.ts';
import type { CertificateAndKey } from './certificate-and-key.ts';
import { endOfLifetime } from './certificate-time.ts';
import { encodeName } from './distinguished-name.ts';
import {
  alternativeNameExtensions,
  type ExtendedKeyUsage,
  extendedKeyUsageExtension,
  keyUsageExtension,
} from './extensions.ts';
import { openIssuer } from './open-issuer.ts';
import { type CertificateRequest, parseCertificateRequest } from './parse-certificate-request.ts';
import type { SignatureAlgorithm } from './signature-algorithm.ts';

/** The policy of the signer. Names and addresses always come from the request. */
export interface SigningPolicy {
  /**
   * `keep` signs the encoded subject. `common-name` writes one anew that has only the common name of `subject`: what else a requester
   * puts there, such as organisations, which are roles, is not in the certificate.
   */
  readonly subject: 'keep' | 'common-name';
  readonly keyUsage: readonly ('digitalSignature' | 'keyEncipherment')[];
  readonly extendedKeyUsage: readonly ExtendedKeyUsage[];
  readonly notBefore: Date;
  readonly lifetimeHours: number;
}

export interface CertificateRequestSigning {
  readonly issuer: CertificateAndKey;
  /** PEM, or a request that is already parsed. */
  readonly request: string | Uint8Array | CertificateRequest;
  readonly policy: SigningPolicy;
}

const rsaBits = { least: 2048, most: 8192 };
const curves: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1'];

function isParsed(request: CertificateRequestSigning['request']): request is CertificateRequest {
  return typeof request !== 'string' && !(request instanceof Uint8Array);
}

/** The signature algorithm of the request, after checks of its key and its signature. */
function provenAlgorithm(request: CertificateRequest): SignatureAlgorithm {
  const { algorithm, publicKey } = request;
  if (algorithm === undefined)
    throw new Fault('internal', 'the signature algorithm of the request is not accepted');
  const { modulusLength, namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  // Checked before the signature: verifying with a very large key would cost much CPU time.
  if (modulusLength !== undefined && (modulusLength < rsaBits.least || modulusLength > rsaBits.most)) {
    throw new Fault('internal', `RSA keys of ${modulusLength} bits are not accepted`);
  }
  if (namedCurve !== undefined && !curves.includes(namedCurve)) {
    throw new Fault('internal', `the curve ${namedCurve} is not accepted`);
  }
  if (!request.hasValidSignature()) throw new Fault('internal', 'the signature of the request is wrong');
  return algorithm;
}

function sign(issuerPair: CertificateAndKey, request: CertificateRequest, policy: SigningPolicy): string {
  const algorithm = provenAlgorithm(request);
  const issuer = openIssuer(issuerPair);
  if (issuer.key.asymmetricKeyType !== algorithm.keyType) {
    throw new Fault(
      'internal',
      `the request is signed with ${algorithm.name}, the certificate authority has a key of type ${issuer.key.asymmetricKeyType}`,
    );
  }
  const { commonName = '' } = request.subject;
  const subject = policy.subject === 'keep' ? request.encodedSubject : encodeName({ commonName });
  return buildCertificate(
    {
      subject,
      issuer: issuer.name,
      notBefore: policy.notBefore,
      notAfter: endOfLifetime(policy.notBefore, policy.lifetimeHours),
      publicKey: request.publicKey,
      extensions: [
        keyUsageExtension(policy.keyUsage),
        extendedKeyUsageExtension(policy.extendedKeyUsage),
        ...issuer.authorityKeyIdentifier,
        ...alternativeNameExtensions(request, subject.value.length === 0),
      ],
    },
    algorithm,
    issuer.key,
  );
}

/**
 * Signs a certificate request after it has verified the request's own signature; returns the certificate as
 * PEM. Faults: `invalid-argument` `failed to decode CSR` and `failed to parse CSR: …` for input that is not a
 * request; `internal` `failed to sign CSR: …` for a wrong signature, a key that does not match the CA, or a
 * broken CA. Source: Talos v1.14: trustd signing.
 */
export function signCertificateRequest({ issuer, request, policy }: CertificateRequestSigning): string {
  const parsed = isParsed(request) ? request : parseCertificateRequest(request);
  try {
    return sign(issuer, parsed, policy);
  } catch (error) {
    throw new Fault('internal', `failed to sign CSR: ${faultFrom(error).message}`, { cause: error });
  }
}

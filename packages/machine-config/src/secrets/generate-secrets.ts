import { generateToken, type RandomSource, systemRandom } from '../random-source.ts';
import { contractHas, currentContract, type VersionContract } from '../version-contract.ts';
import type { CertificateAndKey, SecretsBundle } from './secrets-bundle.ts';

/** Creates keys and CAs. Tests use a fast and deterministic source. */
export interface KeySource {
  certificateAuthority(init: {
    readonly algorithm: 'ed25519' | 'ecdsa-p256';
    /** Organization of the subject. */
    readonly organization: string;
    readonly notBefore: Date;
  }): Promise<CertificateAndKey>;
  serviceAccountKey(algorithm: 'rsa-4096' | 'ecdsa-p256'): Promise<{ readonly key: string }>;
}

export interface GenerateSecretsInit {
  /** Start of the validity of the CAs, which lasts ten years. */
  readonly now: Date;
  readonly contract?: VersionContract;
  readonly random?: RandomSource;
  readonly keys?: KeySource;
}

/**
 * Generates the secrets of a new cluster. All keys are generated concurrently, because the RSA key takes
 * longest.
 *
 * Source: Talos v1.14: secrets, tokens, certificates. The authority of the aggregator has a name, other than upstream's: RFC 5280 requires a
 * subject of an authority, and programs that verify strictly refuse certificates with an empty issuer.
 */
export async function generateSecrets(init: GenerateSecretsInit): Promise<SecretsBundle> {
  const { now, contract = currentContract, random = systemRandom, keys = pkiKeys } = init;
  const authority = (algorithm: 'ed25519' | 'ecdsa-p256', organization: string) =>
    keys.certificateAuthority({ algorithm, organization, notBefore: now });
  const certificates = Promise.all([
    authority('ecdsa-p256', 'etcd'),
    authority('ecdsa-p256', 'kubernetes'),
    authority('ecdsa-p256', 'front-proxy'),
    authority('ed25519', 'talos'),
    keys.serviceAccountKey(contractHas(contract, 'rsaServiceAccountKey') ? 'rsa-4096' : 'ecdsa-p256'),
  ]);

  const base64 = () => Buffer.from(random(32)).toString('base64');
  const id = Buffer.from(random(32)).toString('base64');
  const cluster = {
    id: contractHas(contract, 'standardClusterId') ? id : id.replaceAll('+', '-').replaceAll('/', '_'),
    secret: base64(),
  };
  const secrets = {
    bootstrapToken: generateToken(random),
    ...(contractHas(contract, 'secretbox')
      ? { secretboxEncryptionSecret: base64() }
      : { aescbcEncryptionSecret: base64() }),
  };
  const trustd = { token: generateToken(random) };
  const [etcd, kubernetes, kubernetesAggregator, os, kubernetesServiceAccount] = await certificates;
  return {
    cluster,
    secrets,
    trustd,
    certs: { etcd, kubernetes, kubernetesAggregator, kubernetesServiceAccount, os },
  };
}

/**
 * Loaded on first use, because the library is large and most users of this package never generate a
 * certificate.
 */
const loadPki = () => import('@nodewright/pki');

const pkiKeys: KeySource = {
  async certificateAuthority({ algorithm, organization, notBefore }) {
    const { generateCertificateAuthority } = await loadPki();
    return generateCertificateAuthority({ algorithm, organization, notBefore });
  },
  async serviceAccountKey(algorithm) {
    const { encodePrivateKey, generateKey } = await loadPki();
    return { key: encodePrivateKey((await generateKey(algorithm)).privateKey) };
  },
};

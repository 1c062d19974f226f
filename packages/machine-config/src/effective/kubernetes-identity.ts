import { millisecondsOf } from '../decode/duration.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import type { ConfigReader, DocumentReader } from './config-reader.ts';

interface PemPair {
  readonly certificate: string;
  readonly key: string;
}

/** A CA of Kubernetes and others that are trusted beside it, as PEM. */
export interface KubernetesAuthority {
  /** Only on control planes. Its key is a secret. */
  readonly issuing: PemPair | undefined;
  readonly accepted: readonly string[];
}

/** The authorities, keys and tokens of Kubernetes in a configuration. Every part may be a secret. */
export interface KubernetesIdentity {
  readonly ca: KubernetesAuthority;
  /** The CA of the front proxy. */
  readonly aggregatorCA: KubernetesAuthority;
  readonly serviceAccount: {
    /** PEM; empty when not set. */
    readonly key: string;
    /** Empty means the endpoint of the cluster. */
    readonly issuer: string;
    /** Public keys as PEM. */
    readonly acceptedKeys: readonly string[];
    readonly acceptedIssuers: readonly string[];
    /** Empty means the endpoint of the cluster. */
    readonly audiences: readonly string[];
  };
  /** Keys for resources in etcd. Both forms are never set together. */
  readonly encryption: {
    /** Base64 of 32 bytes; empty when not set. */
    readonly aesCbcSecret: string;
    readonly secretboxSecret: string;
    /** Body of an EncryptionConfiguration; empty when not set. */
    readonly config: YamlMap;
  };
  /** `id.secret` with which a kubelet joins; empty when not set. */
  readonly bootstrapToken: string;
  /** Lifetime of an administrator's certificate in ms; 0 when not set. */
  readonly adminLifetimeMs: number;
}

/**
 * The identity of Kubernetes, from its documents or from the legacy section.
 *
 * @throws Fault `invalid-argument` for a certificate or key that is not PEM
 *
 * Source: Talos v1.14: machine configuration, `cluster`, Kubernetes documents.
 */
export function kubernetesIdentity(reader: ConfigReader): KubernetesIdentity {
  const { legacy } = reader;
  return {
    ca: authority(reader.document('KubeAPIServerCAConfig'), legacy, 'ca', 'acceptedCAs'),
    aggregatorCA: authority(reader.document('KubeAggregatorCAConfig'), legacy, 'aggregatorCA'),
    serviceAccount: serviceAccount(reader),
    encryption: {
      aesCbcSecret: legacy.text('cluster', 'aescbcEncryptionSecret'),
      secretboxSecret: legacy.text('cluster', 'secretboxEncryptionSecret'),
      config: reader.document('KubeEtcdEncryptionConfig')?.map('config') ?? {},
    },
    bootstrapToken: legacy.text('cluster', 'token'),
    adminLifetimeMs: millisecondsOf(legacy.text('cluster', 'adminKubeconfig', 'certLifetime')),
  };
}

function authority(
  document: DocumentReader | undefined,
  legacy: DocumentReader,
  name: string,
  accepted?: string,
): KubernetesAuthority {
  if (document !== undefined) {
    const [certificate, key] = [document.text('issuingCA', 'cert'), document.text('issuingCA', 'key')];
    return {
      issuing: certificate === '' || key === '' ? undefined : { certificate, key },
      accepted: [
        ...(key === '' && certificate !== '' ? [certificate] : []),
        ...document.texts('acceptedCAs'),
      ],
    };
  }
  const certificate = legacy.base64Pem('cluster', name, 'crt');
  const key = legacy.base64Pem('cluster', name, 'key');
  const others =
    accepted === undefined
      ? []
      : legacy.items('cluster', accepted).flatMap((item) => item.base64Pem('crt') ?? []);
  if (certificate === undefined) return { issuing: undefined, accepted: others };
  // A worker has the certificate alone.
  if (key === undefined) return { issuing: undefined, accepted: [certificate, ...others] };
  return { issuing: { certificate, key }, accepted: others };
}

function serviceAccount(reader: ConfigReader): KubernetesIdentity['serviceAccount'] {
  const document = reader.document('KubeServiceAccountConfig');
  if (document === undefined) {
    return {
      key: reader.legacy.base64Pem('cluster', 'serviceAccount', 'key') ?? '',
      issuer: '',
      acceptedKeys: [],
      acceptedIssuers: [],
      audiences: [],
    };
  }
  return {
    key: document.text('issuer', 'privateKey'),
    issuer: document.text('issuer', 'issuerURL'),
    acceptedKeys: document.texts('accepted', 'publicKeys'),
    acceptedIssuers: document.texts('accepted', 'issuers'),
    audiences: document.texts('accepted', 'audiences'),
  };
}

import { Fault } from '@nodewright/fault';
import type { Configuration } from '../config-document.ts';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { isYamlList, isYamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import type { CertificateAndKey, SecretsBundle } from './secrets-bundle.ts';

/**
 * Extracts the secrets of a cluster from the machine configuration of a control plane, of any contract.
 *
 * @throws Fault `invalid-argument` if the configuration is invalid or lacks a part, which the message names
 *
 * Source: Talos v1.14: gen secrets.
 */
export function secretsFromConfig(text: string): SecretsBundle {
  const source = new SecretSource(loadConfiguration(text));
  if (source.optional(legacyKind, 'machine', 'type') === 'worker') {
    throw new Fault(
      'invalid-argument',
      'secrets can only be taken from the configuration of a control plane',
    );
  }
  const secretbox =
    source.optional(legacyKind, 'cluster', 'secretboxEncryptionSecret') ?? source.etcdKey('key2');
  const aescbc = source.optional(legacyKind, 'cluster', 'aescbcEncryptionSecret') ?? source.etcdKey('key1');
  if (!secretbox && !aescbc) throw missing('the key that encrypts secrets in etcd');
  const serviceAccount =
    source.optional('KubeServiceAccountConfig', 'issuer', 'privateKey') ??
    source.legacyPem('cluster', 'serviceAccount', 'key');
  return {
    cluster: {
      id: source.either('the ID of the cluster', ['DiscoveryIdentityConfig', 'clusterID'], ['cluster', 'id']),
      secret: source.either(
        'the secret of the cluster',
        ['DiscoveryIdentityConfig', 'clusterSecret'],
        ['cluster', 'secret'],
      ),
    },
    secrets: {
      bootstrapToken: source.either('cluster.token', [], ['cluster', 'token']),
      ...(secretbox ? { secretboxEncryptionSecret: secretbox } : { aescbcEncryptionSecret: aescbc }),
    },
    trustd: { token: source.either('machine.token', [], ['machine', 'token']) },
    certs: {
      etcd: source.pair('the CA of etcd', undefined, ['cluster', 'etcd', 'ca']),
      kubernetes: source.pair('the CA of Kubernetes', 'KubeAPIServerCAConfig', ['cluster', 'ca']),
      kubernetesAggregator: source.pair('the aggregator CA', 'KubeAggregatorCAConfig', [
        'cluster',
        'aggregatorCA',
      ]),
      kubernetesServiceAccount: { key: serviceAccount ?? fail('the service account key') },
      os: source.pair('the OS CA', undefined, ['machine', 'ca']),
    },
  };
}

function missing(what: string): Fault {
  return new Fault('invalid-argument', `the configuration does not contain ${what}`);
}

function fail(what: string): never {
  throw missing(what);
}

class SecretSource {
  readonly #configuration: Configuration;

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  optional(kind: string, ...path: string[]): string | undefined {
    let value: YamlValue | undefined = this.#configuration.find((document) => document.kind === kind)?.value;
    for (const key of path) value = isYamlMap(value) ? value[key] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** Reads a text from its own document, or else from the legacy document. */
  either(what: string, [kind, ...path]: readonly string[], legacyPath: readonly string[]): string {
    const own = kind === undefined ? undefined : this.optional(kind, ...path);
    return own ?? this.optional(legacyKind, ...legacyPath) ?? fail(what);
  }

  legacyPem(...path: string[]): string | undefined {
    const text = this.optional(legacyKind, ...path);
    return text && Buffer.from(text, 'base64').toString('utf8');
  }

  pair(what: string, kind: string | undefined, legacyPath: readonly string[]): CertificateAndKey {
    const own = (key: string) => kind && this.optional(kind, 'issuingCA', key);
    const certificate = own('cert') ?? this.legacyPem(...legacyPath, 'crt');
    const key = own('key') ?? this.legacyPem(...legacyPath, 'key');
    if (!certificate || !key) throw missing(`${what} with its key`);
    return { certificate, key };
  }

  /**
   * Finds the secret of the etcd encryption key with a name. Generated configurations use the name to tell
   * the kinds of keys apart.
   */
  etcdKey(name: string): string | undefined {
    const document = this.#configuration.find(({ kind }) => kind === 'KubeEtcdEncryptionConfig');
    return document && findNamedSecret(document.value, name);
  }
}

function findNamedSecret(value: YamlValue | undefined, name: string): string | undefined {
  if (isYamlMap(value) && value.name === name && typeof value.secret === 'string') return value.secret;
  const children = isYamlList(value) ? value : isYamlMap(value) ? Object.values(value) : [];
  for (const child of children) {
    const found = findNamedSecret(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

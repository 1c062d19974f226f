import { Fault } from '@nodewright/fault';
import { type ConfigNode, formatPosition, type Position, type ScalarNode } from '../yaml/config-node.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import { readYamlStream } from '../yaml/read-yaml-stream.ts';
import type { CertificateAndKey, SecretsBundle } from './secrets-bundle.ts';

/**
 * The bundle as the text of `secrets.yaml`.
 *
 * Source: Talos v1.14: secrets bundle.
 */
export function encodeSecrets(bundle: SecretsBundle): string {
  const { cluster, secrets, trustd, certs } = bundle;
  return encodeYaml({
    cluster: { id: cluster.id, secret: cluster.secret },
    secrets: {
      bootstraptoken: secrets.bootstrapToken,
      ...(secrets.aescbcEncryptionSecret ? { aescbcencryptionsecret: secrets.aescbcEncryptionSecret } : {}),
      ...(secrets.secretboxEncryptionSecret
        ? { secretboxencryptionsecret: secrets.secretboxEncryptionSecret }
        : {}),
    },
    trustdinfo: { token: trustd.token },
    certs: {
      etcd: encodePair(certs.etcd),
      k8s: encodePair(certs.kubernetes),
      k8saggregator: encodePair(certs.kubernetesAggregator),
      k8sserviceaccount: { key: base64FromPem(certs.kubernetesServiceAccount.key) },
      os: encodePair(certs.os),
    },
  });
}

/** Standard base64 of the text, as PEM is kept in configurations. */
export function base64FromPem(pem: string): string {
  return Buffer.from(pem).toString('base64');
}

function encodePair(pair: CertificateAndKey): { crt: string; key: string } {
  return { crt: base64FromPem(pair.certificate), key: base64FromPem(pair.key) };
}

/**
 * Reads `secrets.yaml`. Keys it does not know are ignored. Throws `invalid-argument` when a part is missing or has not
 * the form it must have, naming the part and never its value.
 */
export function decodeSecrets(text: string): SecretsBundle {
  const [source, ...others] = readYamlStream(text);
  if (!source) throw new Fault('invalid-argument', 'secrets bundle: the file is empty');
  if (others.length > 0) throw new Fault('invalid-argument', 'secrets bundle: more than one document');
  const reader = new BundleReader(source.root);

  const secretbox = reader.optionalText('secrets', 'secretboxencryptionsecret');
  const aescbc = reader.optionalText('secrets', 'aescbcencryptionsecret');
  const encryption = 'one of secrets.secretboxencryptionsecret and secrets.aescbcencryptionsecret';
  if (!secretbox && !aescbc) throw new Fault('invalid-argument', `secrets bundle: ${encryption} is required`);
  if (secretbox && aescbc)
    throw new Fault('invalid-argument', `secrets bundle: only ${encryption} may be set`);
  return {
    cluster: { id: reader.text('cluster', 'id'), secret: reader.key('cluster', 'secret') },
    secrets: {
      bootstrapToken: reader.text('secrets', 'bootstraptoken'),
      ...(secretbox ? { secretboxEncryptionSecret: secretbox } : {}),
      ...(aescbc ? { aescbcEncryptionSecret: aescbc } : {}),
    },
    trustd: { token: reader.text('trustdinfo', 'token') },
    certs: {
      etcd: reader.pair('etcd'),
      kubernetes: reader.pair('k8s'),
      kubernetesAggregator: reader.pair('k8saggregator'),
      kubernetesServiceAccount: { key: reader.pem('certs', 'k8sserviceaccount', 'key') },
      os: reader.pair('os'),
    },
  };
}

class BundleReader {
  readonly #root: ConfigNode;

  constructor(root: ConfigNode) {
    this.#root = root;
  }

  #optional(path: readonly string[]): ScalarNode | undefined {
    let node: ConfigNode | undefined = this.#root;
    for (const key of path) node = node?.kind === 'map' ? node.entries.get(key) : undefined;
    return node?.kind === 'scalar' && node.text !== '' ? node : undefined;
  }

  #required(path: readonly string[]): ScalarNode {
    const found = this.#optional(path);
    if (!found) throw new Fault('invalid-argument', `secrets bundle: ${path.join('.')} is required`);
    return found;
  }

  text(...path: string[]): string {
    return this.#required(path).text;
  }

  /** Base64 of 32 bytes. */
  key(...path: string[]): string {
    const node = this.#required(path);
    const { text } = node;
    if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) throw malformed(path, node, 'must be base64 of 32 bytes');
    return text;
  }

  optionalText(...path: string[]): string | undefined {
    return this.#optional(path)?.text;
  }

  pem(...path: string[]): string {
    const node = this.#required(path);
    const { text } = node;
    const pem = /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : '';
    if (!pem.includes('-----BEGIN ')) throw malformed(path, node, 'must be base64 of PEM');
    return pem;
  }

  pair(name: string): CertificateAndKey {
    return { certificate: this.pem('certs', name, 'crt'), key: this.pem('certs', name, 'key') };
  }
}

function malformed(path: readonly string[], position: Position, what: string): Fault {
  return new Fault(
    'invalid-argument',
    `secrets bundle: ${formatPosition(position)}: ${path.join('.')} ${what}`,
  );
}

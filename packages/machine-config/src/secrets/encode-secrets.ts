import { Fault } from '@nodewright/fault';
import { type ConfigNode, formatPosition, type ScalarNode } from '../yaml/config-node.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import { readYamlStream } from '../yaml/read-yaml-stream.ts';
import type { CertificateAndKey, SecretsBundle } from './secrets-bundle.ts';

/**
 * Encodes the bundle as the text of `secrets.yaml`.
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

/** Encodes PEM as standard base64, its form in configurations. */
export function base64FromPem(pem: string): string {
  return Buffer.from(pem).toString('base64');
}

function encodePair(pair: CertificateAndKey): { crt: string; key: string } {
  return { crt: base64FromPem(pair.certificate), key: base64FromPem(pair.key) };
}

/**
 * Decodes `secrets.yaml`. Unknown keys are ignored.
 *
 * @throws Fault `invalid-argument` naming all parts that are missing or malformed, but no value
 */
export function decodeSecrets(text: string): SecretsBundle {
  const [source, ...others] = readYamlStream(text);
  if (!source) throw new Fault('invalid-argument', 'secrets bundle: the file is empty');
  if (others.length > 0) throw new Fault('invalid-argument', 'secrets bundle: more than one document');
  const reader = new BundleReader(source.root);

  const secretbox = reader.optionalText('secrets', 'secretboxencryptionsecret');
  const aescbc = reader.optionalText('secrets', 'aescbcencryptionsecret');
  const encryption = 'one of secrets.secretboxencryptionsecret and secrets.aescbcencryptionsecret';
  if (!secretbox && !aescbc) reader.refuse(`${encryption} is required`);
  if (secretbox && aescbc) reader.refuse(`only ${encryption} may be set`);
  const bundle: SecretsBundle = {
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
  reader.finish();
  return bundle;
}

/**
 * Reads a bundle and collects its problems; `finish` throws them together. A missing or malformed part reads
 * as an empty text.
 */
class BundleReader {
  readonly #root: ConfigNode;
  readonly #problems: string[] = [];

  constructor(root: ConfigNode) {
    this.#root = root;
  }

  refuse(problem: string): void {
    this.#problems.push(problem);
  }

  /** @throws Fault `invalid-argument` with all problems */
  finish(): void {
    const [only, ...others] = this.#problems;
    if (only === undefined) return;
    if (others.length === 0) throw new Fault('invalid-argument', `secrets bundle: ${only}`);
    const lines = this.#problems.map((problem) => `  ${problem}`);
    throw new Fault('invalid-argument', `secrets bundle: ${lines.length} problems:\n${lines.join('\n')}`);
  }

  #optional(path: readonly string[]): ScalarNode | undefined {
    let node: ConfigNode | undefined = this.#root;
    for (const key of path) node = node?.kind === 'map' ? node.entries.get(key) : undefined;
    return node?.kind === 'scalar' && node.text !== '' ? node : undefined;
  }

  /** Reads a required text, decoded with `form.read` if given. */
  #required(path: readonly string[], form?: { wanted: string; read: (text: string) => string | undefined }) {
    const found = this.#optional(path);
    const text = found && form ? form.read(found.text) : found?.text;
    if (!found) this.refuse(`${path.join('.')} is required`);
    else if (text === undefined)
      this.refuse(`${formatPosition(found)}: ${path.join('.')} must be ${form?.wanted}`);
    return text ?? '';
  }

  text(...path: string[]): string {
    return this.#required(path);
  }

  key(...path: string[]): string {
    return this.#required(path, { wanted: 'base64 of 32 bytes', read: keyFromText });
  }

  optionalText(...path: string[]): string | undefined {
    return this.#optional(path)?.text;
  }

  pem(...path: string[]): string {
    return this.#required(path, { wanted: 'base64-encoded PEM', read: pemFromText });
  }

  pair(name: string): CertificateAndKey {
    return { certificate: this.pem('certs', name, 'crt'), key: this.pem('certs', name, 'key') };
  }
}

function keyFromText(text: string): string | undefined {
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? text : undefined;
}

function pemFromText(text: string): string | undefined {
  const pem = /^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/.test(text)
    ? Buffer.from(text, 'base64').toString('utf8')
    : '';
  return pem.includes('-----BEGIN ') ? pem : undefined;
}

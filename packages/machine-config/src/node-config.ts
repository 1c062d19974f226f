import { Fault } from '@nodewright/fault';
import type { ConfigNode, ConfigSource, MapNode, Position } from './yaml/config-node.ts';
import { formatPosition, isNullNode } from './yaml/config-node.ts';
import { readYamlStream } from './yaml/read-yaml-stream.ts';

export type MachineType = 'init' | 'controlplane' | 'worker';

/** What a node needs of its machine configuration to come up and to prove who it is. */
export interface NodeConfig {
  readonly machineType: MachineType;
  /** The token a joining node shows to trustd. A secret. */
  readonly token: string;
  /** The issuing CA of the OS API, PEM. Workers hold no key. The key is a secret. */
  readonly ca: { readonly certificate: string; readonly key?: string };
  /** Further CAs to trust, PEM, in their order; without the issuing CA. */
  readonly acceptedCAs: readonly string[];
  readonly certSANs: readonly string[];
  /** Empty where the configuration does not say (workers of contracts up to 1.7). */
  readonly clusterName: string;
  /** URL of the Kubernetes control plane; empty where the configuration does not say. */
  readonly clusterEndpoint: string;
  /** In their order; empty where the configuration does not say. */
  readonly timeServers: readonly string[];
}

/**
 * Reads the parts of a machine configuration (a stream of YAML documents) that a node needs first. Documents and keys
 * it does not need are not looked at. A worker without `machine.ca` takes the first of its accepted CAs for it.
 *
 * Throws `invalid-argument` naming document, line, column and key; values are never quoted.
 *
 * Source: Talos v1.14: machine configuration, v1alpha1 document, KubeClusterConfig, TimeSyncConfig.
 */
export function readNodeConfig(text: string): NodeConfig {
  const sources = readYamlStream(text);
  const first = sources.find((source) => isLegacyDocument(source.root));
  if (!first)
    throw new Fault(
      'invalid-argument',
      'machine configuration: the v1alpha1 document with "machine" and "cluster" is missing',
    );
  const legacy = new DocumentReader(first);
  const machineType = readMachineType(legacy);

  const token = legacy.text('machine', 'token');
  if (token === '') throw legacy.fault('machine.token is missing', 'machine');
  const acceptedCAs = legacy.list('machine', 'acceptedCAs').map((item, at) => {
    const crt = item.kind === 'map' ? item.entries.get('crt') : undefined;
    return legacy.pem(crt ?? item, `machine.acceptedCAs[${at}].crt`);
  });

  const cluster = documentOfKind(sources, 'KubeClusterConfig');
  const time = documentOfKind(sources, 'TimeSyncConfig');
  return {
    machineType,
    token,
    ca: readIssuingCA(legacy, machineType, acceptedCAs),
    acceptedCAs,
    certSANs: legacy.texts('machine', 'certSANs'),
    clusterName: cluster?.text('clusterName') || legacy.text('cluster', 'clusterName'),
    clusterEndpoint: cluster?.text('endpoint') || legacy.text('cluster', 'controlPlane', 'endpoint'),
    timeServers: time ? time.texts('ntp', 'servers') : legacy.texts('machine', 'time', 'servers'),
  };
}

function isLegacyDocument(root: MapNode): boolean {
  return (
    !root.entries.has('kind') &&
    ['machine', 'cluster', 'debug', 'persist'].some((key) => root.entries.has(key))
  );
}

function documentOfKind(sources: readonly ConfigSource[], kind: string): DocumentReader | undefined {
  const source = sources.find(({ root }) => {
    const node = root.entries.get('kind');
    return node?.kind === 'scalar' && node.text === kind;
  });
  return source && new DocumentReader(source);
}

function readMachineType(legacy: DocumentReader): MachineType {
  const type = legacy.text('machine', 'type');
  if (type === 'init' || type === 'controlplane') return type;
  if (type === 'worker' || type === 'join' || type === '') return 'worker';
  throw legacy.fault('machine.type must be "controlplane" or "worker"', 'machine', 'type');
}

function readIssuingCA(
  legacy: DocumentReader,
  type: MachineType,
  acceptedCAs: readonly string[],
): NodeConfig['ca'] {
  const crt = legacy.node('machine', 'ca', 'crt');
  const key = legacy.node('machine', 'ca', 'key');
  if (isNullNode(crt) || (crt?.kind === 'scalar' && crt.text === '')) {
    const accepted = acceptedCAs[0];
    if (type === 'worker' && accepted !== undefined) return { certificate: accepted };
    throw legacy.fault('machine.ca.crt is missing', 'machine', 'ca');
  }
  const certificate = legacy.pem(crt, 'machine.ca.crt');
  const hasKey = key?.kind === 'scalar' && key.text !== '' && !isNullNode(key);
  if (hasKey) return { certificate, key: legacy.pem(key, 'machine.ca.key') };
  if (type !== 'worker')
    throw legacy.fault('machine.ca.key is missing: a control plane needs it', 'machine', 'ca');
  return { certificate };
}

/** Typed access to one document by path; a key that is absent or null reads as empty. */
class DocumentReader {
  readonly #source: ConfigSource;

  constructor(source: ConfigSource) {
    this.#source = source;
  }

  node(...path: string[]): ConfigNode | undefined {
    let node: ConfigNode | undefined = this.#source.root;
    for (const [at, key] of path.entries()) {
      if (node === undefined || isNullNode(node)) return undefined;
      if (node.kind !== 'map') throw this.#faultAt(node, `${path.slice(0, at).join('.')} must be a mapping`);
      node = node.entries.get(key);
    }
    return node;
  }

  text(...path: string[]): string {
    const node = this.node(...path);
    if (node === undefined || isNullNode(node)) return '';
    if (node.kind !== 'scalar') throw this.#faultAt(node, `${path.join('.')} must be a text`);
    return node.text;
  }

  list(...path: string[]): readonly ConfigNode[] {
    const node = this.node(...path);
    if (node === undefined || isNullNode(node)) return [];
    if (node.kind !== 'list') throw this.#faultAt(node, `${path.join('.')} must be a list`);
    return node.items;
  }

  texts(...path: string[]): string[] {
    return this.list(...path).map((item) => {
      if (item.kind !== 'scalar') throw this.#faultAt(item, `${path.join('.')} must be a list of texts`);
      return item.text;
    });
  }

  /** A text that is base64 of PEM. */
  pem(node: ConfigNode | undefined, path: string): string {
    const text = node?.kind === 'scalar' ? node.text.replace(/\s+/g, '') : '';
    const pem = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : '';
    if (!pem.includes('-----BEGIN '))
      throw this.#faultAt(node ?? this.#source.root, `${path} must be base64 of PEM`);
    return pem;
  }

  /** A fault at the line of the deepest existing part of the path. */
  fault(what: string, ...path: string[]): Fault {
    let node: ConfigNode = this.#source.root;
    for (const key of path) {
      const next: ConfigNode | undefined = node.kind === 'map' ? node.entries.get(key) : undefined;
      if (next === undefined) break;
      node = next;
    }
    return this.#faultAt(node, what);
  }

  #faultAt(position: Position, what: string): Fault {
    return new Fault(
      'invalid-argument',
      `machine configuration: document ${this.#source.index}, ${formatPosition(position)}: ${what}`,
    );
  }
}

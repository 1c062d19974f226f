import { Fault } from '@nodewright/fault';
import { parseDocument, stringify } from 'yaml';
import type { ClusterShape, NodeType, PlannedNode } from './cluster-shape.ts';

/**
 * What is known of a process cluster for as long as its folder exists. `creating` means that the folder is not
 * complete: whoever made it is still at work or was interrupted, and nothing in it is worth keeping.
 */
export interface ClusterState {
  readonly name: string;
  readonly phase: 'creating' | 'created';
  readonly shape: ClusterShape;
  /** Hex digest of the patches given at creation: equal patches make equal clusters. */
  readonly patchDigest: string;
  /** Unknown until an address range is claimed. */
  readonly network?: { readonly cidr: string; readonly gateway: string };
  readonly nodes: readonly PlannedNode[];
  readonly kubernetesEndpoint?: string;
  /** Where the way in is written for the user. The name of the context is empty until it is there. */
  readonly talosconfig?: { readonly path: string; readonly context: string };
}

/** MTU of the loopback interface. */
export const loopbackMtu = 65536;

/** `state.yaml`, with the lower-case keys of Talos v1.14: provision state, and ours beside them. */
export function encodeClusterState(state: ClusterState): string {
  const document = {
    provisionername: 'process',
    phase: state.phase,
    clusterinfo: {
      clustername: state.name,
      network: {
        name: 'loopback',
        cidrs: state.network === undefined ? [] : [state.network.cidr],
        gatewayaddrs: state.network === undefined ? [] : [state.network.gateway],
        mtu: loopbackMtu,
      },
      nodes: state.nodes.map(({ name, type, address }) => ({ id: name, name, type, ips: [address] })),
      kubernetesendpoint: state.kubernetesEndpoint ?? '',
    },
    request: {
      controlplanes: state.shape.controlPlanes,
      workers: state.shape.workers,
      patchdigest: state.patchDigest,
    },
    ...(state.talosconfig === undefined ? {} : { talosconfig: { ...state.talosconfig } }),
  };
  return stringify(document, { indent: 4, lineWidth: 0 });
}

/** Reads what encodeClusterState() wrote. Throws a Fault `data-loss` that names `path` and what is wrong with it. */
export function decodeClusterState(text: string, path: string): ClusterState {
  const fail = (what: string) => new Fault('data-loss', `${path}: ${what}`);
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw fail(`not YAML: ${error.message.split('\n')[0]}`);
  const root = new Field(document.toJS(), '', fail);
  const provisioner = root.at('provisionername').text();
  if (provisioner !== 'process') throw fail(`made by provisioner "${provisioner}", not by "process"`);

  const phase = root.at('phase').text();
  if (phase !== 'creating' && phase !== 'created') throw fail(`unknown phase "${phase}"`);
  const info = root.at('clusterinfo');
  const [cidr] = info.at('network').at('cidrs').list();
  const [gateway] = info.at('network').at('gatewayaddrs').list();
  const endpoint = info.at('kubernetesendpoint').text();
  const talosconfig = root.at('talosconfig');
  return {
    name: info.at('clustername').text(),
    phase,
    shape: {
      controlPlanes: root.at('request').at('controlplanes').number(),
      workers: root.at('request').at('workers').number(),
    },
    patchDigest: root.at('request').at('patchdigest').text(),
    nodes: info
      .at('nodes')
      .list()
      .map((node) => ({
        name: node.at('name').text(),
        type: nodeType(node.at('type')),
        address: node.at('ips').first().text(),
      })),
    ...(cidr === undefined || gateway === undefined
      ? {}
      : { network: { cidr: cidr.text(), gateway: gateway.text() } }),
    ...(endpoint === '' ? {} : { kubernetesEndpoint: endpoint }),
    ...(talosconfig.isAbsent()
      ? {}
      : { talosconfig: { path: talosconfig.at('path').text(), context: talosconfig.at('context').text() } }),
  };
}

function nodeType(field: Field): NodeType {
  const text = field.text();
  if (text === 'controlplane' || text === 'worker') return text;
  throw field.wrong('controlplane or worker');
}

/** A value somewhere in a parsed document that says its path when it is not what it should be. */
class Field {
  readonly #value: unknown;
  readonly #path: string;
  readonly #fail: (what: string) => Fault;

  constructor(value: unknown, path: string, fail: (what: string) => Fault) {
    this.#value = value;
    this.#path = path;
    this.#fail = fail;
  }

  at(key: string): Field {
    const path = this.#path === '' ? key : `${this.#path}.${key}`;
    const isMap = typeof this.#value === 'object' && this.#value !== null;
    return new Field(isMap ? (this.#value as Record<string, unknown>)[key] : undefined, path, this.#fail);
  }

  list(): Field[] {
    if (!Array.isArray(this.#value)) throw this.wrong('a list');
    return this.#value.map((value, index) => new Field(value, `${this.#path}[${index}]`, this.#fail));
  }

  first(): Field {
    const [field] = this.list();
    if (field === undefined) throw this.wrong('a list that is not empty');
    return field;
  }

  text(): string {
    if (typeof this.#value !== 'string') throw this.wrong('a text');
    return this.#value;
  }

  number(): number {
    if (typeof this.#value !== 'number') throw this.wrong('a number');
    return this.#value;
  }

  isAbsent(): boolean {
    return this.#value === undefined;
  }

  wrong(wanted: string): Fault {
    return this.#fail(`${this.#path === '' ? 'the file' : this.#path} must be ${wanted}`);
  }
}

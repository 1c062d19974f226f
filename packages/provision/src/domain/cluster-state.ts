import { Fault } from '@nodewright/fault';
import { parseDocument, stringify } from 'yaml';
import type { ProvisionerName } from '../provisioner.ts';
import type { ClusterShape, NodeType, PlannedNode } from './cluster-shape.ts';
import { DocumentField } from './document-field.ts';

/** Provisioners that keep a state of this form. */
export type StatefulProvisioner = Extract<ProvisionerName, 'process' | 'docker'>;

/** What only a cluster of containers has. */
export interface StackState {
  /** Tag of the suite's images. */
  readonly tag: string;
  /** Where this host reaches Jaeger's page and its OTLP receiver, on 127.0.0.1. */
  readonly jaegerPort: number;
  readonly otlpPort: number;
  /** Where this host reaches the apid of each control plane, on 127.0.0.1, by node. */
  readonly publishedPorts: Readonly<Record<string, number>>;
  /** The variables that said which engine was meant. */
  readonly engine: Readonly<Record<string, string>>;
}

/**
 * What is known of a cluster for as long as its folder exists. `creating` means that the folder is not
 * complete: whoever made it is still at work or was interrupted, and nothing in it is worth keeping.
 */
export interface ClusterState {
  readonly provisioner: StatefulProvisioner;
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
  /** Of a cluster of containers, once its ports are chosen. */
  readonly stack?: StackState;
}

/** Name and MTU of the network that a cluster is on: the loopback interface, or a bridge of the engine. */
export function networkFacts({ provisioner, name }: Pick<ClusterState, 'provisioner' | 'name'>) {
  return provisioner === 'process' ? { name: 'loopback', mtu: 65536 } : { name, mtu: 1500 };
}

/** `state.yaml`, with the lower-case keys of Talos v1.14: provision state, and ours beside them. */
export function encodeClusterState(state: ClusterState): string {
  const { name: network, mtu } = networkFacts(state);
  const document = {
    provisionername: state.provisioner,
    phase: state.phase,
    clusterinfo: {
      clustername: state.name,
      network: {
        name: network,
        cidrs: state.network === undefined ? [] : [state.network.cidr],
        gatewayaddrs: state.network === undefined ? [] : [state.network.gateway],
        mtu,
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
    ...(state.stack === undefined ? {} : { docker: encodeStack(state.stack) }),
  };
  return stringify(document, { indent: 4, lineWidth: 0 });
}

/** Reads what encodeClusterState() wrote. Throws a Fault `data-loss` that names `path` and what is wrong with it. */
export function decodeClusterState(text: string, path: string): ClusterState {
  const fail = (what: string) => new Fault('data-loss', `${path}: ${what}`);
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw fail(`not YAML: ${error.message.split('\n')[0]}`);
  const root = new DocumentField(document.toJS(), '', fail);
  const provisioner = root.at('provisionername').text();
  if (provisioner !== 'process' && provisioner !== 'docker')
    throw fail(`made by provisioner "${provisioner}", which this version does not have`);

  const phase = root.at('phase').text();
  if (phase !== 'creating' && phase !== 'created') throw fail(`unknown phase "${phase}"`);
  const info = root.at('clusterinfo');
  const [cidr] = info.at('network').at('cidrs').list();
  const [gateway] = info.at('network').at('gatewayaddrs').list();
  const endpoint = info.at('kubernetesendpoint').text();
  const talosconfig = root.at('talosconfig');
  const stack = root.at('docker');
  return {
    provisioner,
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
    ...(stack.isAbsent() ? {} : { stack: decodeStack(stack) }),
  };
}

function encodeStack({ tag, jaegerPort, otlpPort, publishedPorts, engine }: StackState) {
  return {
    tag,
    jaegerport: jaegerPort,
    otlpport: otlpPort,
    publishedports: { ...publishedPorts },
    engine: { ...engine },
  };
}

function decodeStack(field: DocumentField): StackState {
  return {
    tag: field.at('tag').text(),
    jaegerPort: field.at('jaegerport').number(),
    otlpPort: field.at('otlpport').number(),
    publishedPorts: Object.fromEntries(
      field
        .at('publishedports')
        .entries()
        .map(([node, port]) => [node, port.number()]),
    ),
    engine: Object.fromEntries(
      field
        .at('engine')
        .entries()
        .map(([name, value]) => [name, value.text()]),
    ),
  };
}

function nodeType(field: DocumentField): NodeType {
  const text = field.text();
  if (text === 'controlplane' || text === 'worker') return text;
  throw field.wrong('controlplane or worker');
}

import { Fault } from '@nodewright/fault';
import { parseDocument, stringify } from 'yaml';
import type { ClusterShape, NodeType, PlannedNode } from './cluster-shape.ts';
import { DocumentField } from './document-field.ts';
import type { ProvisionerName } from './provisioner.ts';

/** The provisioners whose clusters have a state in this format. */
export type StatefulProvisioner = ProvisionerName;

/** The part of the state that only a cluster of a virtual machine has. */
export interface MachineState {
  /** The port on 127.0.0.1 that leads to the machine's API. */
  readonly apiPort: number;
  /** The port on 127.0.0.1 of the machine's time server; undefined for a machine that was created without one. */
  readonly timePort?: number;
}

/** The part of the state that only a cluster of containers has. */
export interface StackState {
  /** The tag of the images of this project. */
  readonly tag: string;
  /** The image of nodes that are one container each; absent when each daemon has a container. */
  readonly nodeImage?: string;
  /** The ports on 127.0.0.1 of Jaeger's web page and of its OTLP receiver. */
  readonly jaegerPort: number;
  readonly otlpPort: number;
  /** The ports on 127.0.0.1 of the control planes' apids, by node name. */
  readonly publishedPorts: Readonly<Record<string, number>>;
  /** The environment variables that selected the engine. */
  readonly engine: Readonly<Record<string, string>>;
}

/**
 * The stored state of a cluster. In the phase `creating` the folder is incomplete: the creation is in
 * progress or was interrupted, and nothing in the folder needs to be kept.
 */
export interface ClusterState {
  readonly provisioner: StatefulProvisioner;
  readonly name: string;
  readonly phase: 'creating' | 'created';
  readonly shape: ClusterShape;
  /** The hex digest of the patches given at creation; clusters with equal patches have equal digests. */
  readonly patchDigest: string;
  /** Absent until an address range is claimed. */
  readonly network?: { readonly cidr: string; readonly gateway: string };
  readonly nodes: readonly PlannedNode[];
  readonly kubernetesEndpoint?: string;
  /**
   * The user's talosconfig and the cluster's context in it. The name of the context is empty until it is
   * added.
   */
  readonly talosconfig?: { readonly path: string; readonly context: string };
  /** Present when the nodes run Kubernetes: its version without `v`. */
  readonly kubernetes?: { readonly version: string };
  /** For a cluster of containers, present once its ports are chosen. */
  readonly stack?: StackState;
  /** For a cluster of a virtual machine, present once its port is chosen. */
  readonly machine?: MachineState;
}

/**
 * Returns name and MTU of the cluster's network: the loopback interface, a bridge of the engine, or the
 * emulator's own network.
 */
export function networkFacts({ provisioner, name }: Pick<ClusterState, 'provisioner' | 'name'>) {
  if (provisioner === 'process') return { name: 'loopback', mtu: 65536 };
  return { name: provisioner === 'qemu' ? 'emulator' : name, mtu: 1500 };
}

/** Encodes `state.yaml`: the lower-case keys that this file has in Talos v1.14, and keys of this project. */
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
    ...(state.kubernetes === undefined ? {} : { kubernetes: { version: state.kubernetes.version } }),
    ...(state.stack === undefined ? {} : { docker: encodeStack(state.stack) }),
    ...(state.machine === undefined ? {} : { qemu: encodeMachine(state.machine) }),
  };
  return stringify(document, { indent: 4, lineWidth: 0 });
}

/** Decodes the output of encodeClusterState(). Throws a Fault `data-loss` that names `path` and the error. */
export function decodeClusterState(text: string, path: string): ClusterState {
  const fail = (what: string) => new Fault('data-loss', `${path}: ${what}`);
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw fail(`not YAML: ${error.message.split('\n')[0]}`);
  const root = new DocumentField(document.toJS(), '', fail);
  const provisioner = root.at('provisionername').text();
  if (!isProvisioner(provisioner))
    throw fail(`created by provisioner "${provisioner}", which this version does not support`);

  const phase = root.at('phase').text();
  if (phase !== 'creating' && phase !== 'created') throw fail(`unknown phase "${phase}"`);
  const info = root.at('clusterinfo');
  const [cidr] = info.at('network').at('cidrs').list();
  const [gateway] = info.at('network').at('gatewayaddrs').list();
  const endpoint = info.at('kubernetesendpoint').text();
  const talosconfig = root.at('talosconfig');
  const kubernetes = root.at('kubernetes');
  const stack = root.at('docker');
  const machine = root.at('qemu');
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
    ...(kubernetes.isAbsent() ? {} : { kubernetes: { version: kubernetes.at('version').text() } }),
    ...(stack.isAbsent() ? {} : { stack: decodeStack(stack) }),
    ...(machine.isAbsent() ? {} : { machine: decodeMachine(machine) }),
  };
}

function encodeMachine({ apiPort, timePort }: MachineState) {
  return { apiport: apiPort, ...(timePort === undefined ? {} : { timeport: timePort }) };
}

function decodeMachine(machine: DocumentField): MachineState {
  const timePort = machine.at('timeport');
  return {
    apiPort: machine.at('apiport').number(),
    ...(timePort.isAbsent() ? {} : { timePort: timePort.number() }),
  };
}

function isProvisioner(name: string): name is StatefulProvisioner {
  return name === 'process' || name === 'docker' || name === 'qemu';
}

function encodeStack({ tag, nodeImage, jaegerPort, otlpPort, publishedPorts, engine }: StackState) {
  return {
    tag,
    ...(nodeImage === undefined ? {} : { nodeimage: nodeImage }),
    jaegerport: jaegerPort,
    otlpport: otlpPort,
    publishedports: { ...publishedPorts },
    engine: { ...engine },
  };
}

function decodeStack(field: DocumentField): StackState {
  return {
    tag: field.at('tag').text(),
    ...(field.at('nodeimage').isAbsent() ? {} : { nodeImage: field.at('nodeimage').text() }),
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

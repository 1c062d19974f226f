// Builds the compose file for a cluster of any shape. The docker provisioner writes it for each of its
// clusters, with labels and ports added by `owned-stack.ts`. `dev-stack.ts` generates compose.yaml of this
// repository from it.
import { dirname } from 'node:path';
import { ownLabels } from '@nodewright/containers/docker/ownership';
import { nodePaths } from '@nodewright/contract';
import type { PlannedNode } from './cluster-shape.ts';
import { lockedContainer, tracing, tracingOf } from './container-settings.ts';
import { wholeNode, wholeNodeVolumes } from './whole-node.ts';

export interface StackDesign {
  readonly name: string;
  /** The first three numbers of its /24 network, or a compose expression for them. */
  readonly network: string;
  readonly nodes: readonly PlannedNode[];
  /** The tag of the images of this project. */
  readonly tag: string;
  /** The ports on 127.0.0.1 of Jaeger's web page and of its OTLP receiver. */
  readonly jaegerPort: number | string;
  readonly otlpPort: number | string;
  /** The engine's own socket on the engine's host, and the id of the group that may use it. */
  readonly engineSocket: string;
  readonly engineGroup: string;
  /** The image of nodes that are one container each; otherwise each daemon of a node has its own container. */
  readonly nodeImage?: string | undefined;
  /** Whether such nodes run Kubernetes. */
  readonly hasKubernetes?: boolean;
}

/** A YAML or JSON value. */
export type DocumentValue =
  | string
  | number
  | boolean
  | null
  | readonly DocumentValue[]
  | { readonly [key: string]: DocumentValue };
export type Mapping = { readonly [key: string]: DocumentValue };

export interface StackDocument {
  readonly name: string;
  readonly services: Readonly<Record<string, Mapping>>;
  readonly networks: Readonly<Record<string, Mapping>>;
  readonly volumes: Readonly<Record<string, Mapping | null>>;
}

/** Nodes have the addresses .2 to .252; those above belong to other containers. */
export const mostStackNodes = 251;
const timeHost = 253;
const jaegerHost = 254;
/** Above 1023, because the time server does not run as root. */
const timePort = 50123;
export const jaegerPorts = { page: 16686, otlp: 4318 } as const;
/** The etcd that control planes of processes and of containers run. */
export const etcdVersion = '3.7.3';
/**
 * Made by tools/images: the image of the etcd project, or the same program where that image cannot be pulled.
 * It is named after its version, so that an image of an earlier one is never taken for it.
 */
export const etcdImage = `nodewright/etcd:${etcdVersion}`;
export const jaegerImage = 'jaegertracing/jaeger:2.13.0';

/** The names of the images that a stack runs. */
export function stackImages(tag: string) {
  const image = (service: string) => `nodewright/${service}:${tag}`;
  return {
    machined: image('machined'),
    apid: image('apid'),
    trustd: image('trustd'),
    registryd: image('registryd'),
    udevdBridge: image('udevd-bridge'),
    toolbox: image('toolbox'),
  };
}

/** `address:port` of the stack's time server. */
export function stackTimeServer(network: string): string {
  return `${network}.${timeHost}:${timePort}`;
}

/** Settings of every container here: it cannot gain rights either. No service below adds a capability. */
const locked = lockedContainer('no-new-privileges:true');
/** Where machined writes that it has started, and its neighbours notice that it has another network. */
const startedFolder = dirname(nodePaths.startedFile);
/**
 * A program of Node.js has 11 threads. There is room for a daemon, its health probe and two programs that people start in its container:
 * one that gets no thread at its start waits for ever.
 */
const neighbourThreads = 48;

/** The path of the engine's socket in machined's container. */
const engineSocket = '/run/engine.sock';

/**
 * A folder in memory that belongs to one daemon and that one other group may read. 52 is machined's user, 50
 * that of apid, 51 that of trustd, 53 that of registryd, 54 that of udevd-bridge.
 */
const shared = (size: string, user: number, group: number) => ({
  driver_opts: { type: 'tmpfs', device: 'tmpfs', o: `size=${size},mode=0750,uid=${user},gid=${group}` },
});

/** A folder in memory that machined shares with the containers that it starts. */
const ownFolder = {
  driver_opts: { type: 'tmpfs', device: 'tmpfs', o: 'size=1m,mode=0700,uid=52,gid=52' },
};

/** Builds the document with every container, network and volume of the cluster. */
export function stackDocument(design: StackDesign): StackDocument {
  const { name, network } = design;
  const { services, volumes } = nodeParts(design);
  return {
    name,
    services,
    networks: {
      cluster: {
        name,
        labels: { 'talos.owned': 'true', 'talos.cluster.name': name },
        ipam: { config: [{ subnet: `${network}.0/24`, gateway: `${network}.1` }] },
      },
    },
    volumes,
  };
}

/** The services and volumes of the cluster. */
function nodeParts(design: StackDesign): Pick<StackDocument, 'services' | 'volumes'> {
  const { nodes, nodeImage, hasKubernetes = false } = design;
  if (nodeImage === undefined) {
    return {
      services: {
        init: initService(design),
        ...Object.assign({}, ...nodes.map((node) => nodeServices(design, node))),
        ...companionServices(design),
        talosctl: toolService(design),
      },
      volumes: Object.assign({ admin: null }, ...nodes.map(nodeVolumes)),
    };
  }
  // Only the docker provisioner makes such a cluster, and it generates the configurations itself.
  const given = { image: nodeImage, hasKubernetes, jaegerAddress: `${design.network}.${jaegerHost}` };
  const services = nodes.map((node) => [node.name, wholeNode(node, given)] as const);
  return {
    services: { ...Object.fromEntries(services), ...companionServices(design) },
    volumes: Object.assign({}, ...nodes.map(wholeNodeVolumes)),
  };
}

/** The service that writes the secrets and the configuration of every node. It keeps existing files. */
function initService({ name, network, nodes, tag }: StackDesign): Mapping {
  const flagOf = { controlplane: 'control-plane', worker: 'worker' } as const;
  return {
    ...locked,
    restart: 'no',
    image: stackImages(tag).toolbox,
    // Runs without the permission model, which does not allow fsync. It has no network and exits at once.
    entrypoint: [
      ...['/usr/bin/node', '--disable-sigusr1'],
      '/usr/lib/nodewright/cluster-init/cluster-init.cjs',
    ],
    command: [
      `--name=${name}`,
      ...nodes.map((node) => `--${flagOf[node.type]}=${node.name}=${node.address}`),
      `--time-server=${stackTimeServer(network)}`,
      '--cert-san=127.0.0.1',
    ],
    network_mode: 'none',
    mem_limit: '192m',
    volumes: [
      'admin:/cluster/admin',
      ...nodes.map((node) => `${node.name}-state:/cluster/nodes/${node.name}`),
    ],
  };
}

function nodeServices(design: StackDesign, { name, type, address }: PlannedNode): Record<string, Mapping> {
  const { tag } = design;
  const images = stackImages(tag);
  const isControlPlane = type === 'controlplane';
  const started = `${name}-started:${startedFolder}:ro`;
  const neighbour = {
    network_mode: `service:${name}`,
    depends_on: { [name]: { condition: 'service_started' } },
  };
  const machined: Mapping = {
    ...locked,
    // A rebooting node exits with another code than 0 and is restarted; one that was shut down exits with 0
    // and stays down. An orderly reboot of the host ends it with 0, too, which `docs/troubleshooting.md` explains.
    restart: 'on-failure',
    image: images.machined,
    depends_on: { init: { condition: 'service_completed_successfully' } },
    // machined uses only objects of the engine that have the labels of its cluster and node. Access to the
    // socket still means root on the engine's host, so no other container of the stack gets it.
    environment: {
      ...tracingOf(name),
      MACHINED_ENGINE_SOCKET: engineSocket,
      MACHINED_ENGINE_CLUSTER: design.name,
      MACHINED_ETCD_IMAGE: etcdImage,
    },
    // machined is a member of the groups of apid, trustd and registryd (50, 51, 53): as owner of its sockets it
    // can then give them to these groups without a capability. The group 54 may use the socket of udevd-bridge,
    // and the last one that of the engine.
    group_add: ['50', '51', '53', '54', design.engineGroup],
    // Health probes count towards this limit. Several decoded messages of 32 MiB fit into it.
    mem_limit: '384m',
    pids_limit: 64,
    tmpfs: [
      '/run:size=1m,mode=0755,uid=52,gid=52',
      '/system/run:size=1m,mode=0755,uid=52,gid=52',
      '/system/etc:size=8m,mode=0755,uid=52,gid=52',
      '/var/log:size=64m,mode=0755,uid=52,gid=52',
    ],
    hostname: name,
    command: ['--hostname', name, '--address', address],
    networks: { cluster: { ipv4_address: address } },
    volumes: [
      `${name}-state:/system/state`,
      `${name}-machined:/run/machined`,
      `${name}-apid:/system/run/apid`,
      ...(isControlPlane ? [`${name}-trustd:/system/run/trustd`] : []),
      `${name}-registryd:/system/run/registryd`,
      // machined calls registryd for clients of the API.
      `${name}-registryd-socket:/run/registryd:ro`,
      `${name}-apid-log:/var/log/apid:ro`,
      `${name}-registryd-log:/var/log/registryd:ro`,
      `${name}-udevd-bridge:/run/udevd-bridge:ro`,
      `${name}-started:${startedFolder}`,
      `${name}-udevd-bridge-log:/var/log/udevd-bridge:ro`,
      ...(isControlPlane
        ? [`${name}-trustd-log:/var/log/trustd:ro`, `${name}-lib:/var/lib`, `${name}-secrets:/system/secrets`]
        : []),
      `${design.engineSocket}:${engineSocket}`,
    ],
  };
  const apid: Mapping = {
    ...locked,
    image: images.apid,
    labels: containerLabels(design, name, 'apid'),
    environment: { ...tracingOf(name), LOG_FILE: '/var/log/apid/apid.log' },
    mem_limit: '320m',
    pids_limit: neighbourThreads,
    tmpfs: ['/run/apid:size=64k,mode=0700,uid=50,gid=50'],
    ...neighbour,
    volumes: [
      `${name}-machined:/run/machined`,
      `${name}-apid:/system/run/apid:ro`,
      `${name}-apid-log:/var/log/apid`,
      started,
    ],
  };
  const trustd: Mapping = {
    ...locked,
    image: images.trustd,
    labels: containerLabels(design, name, 'trustd'),
    environment: { ...tracingOf(name), LOG_FILE: '/var/log/trustd/trustd.log' },
    mem_limit: '192m',
    pids_limit: neighbourThreads,
    tmpfs: ['/run/trustd:size=64k,mode=0700,uid=51,gid=51'],
    ...neighbour,
    volumes: [`${name}-trustd:/system/run/trustd:ro`, `${name}-trustd-log:/var/log/trustd`, started],
  };
  // It waits for the settings that machined serves while the configuration enables the image cache.
  const registryd: Mapping = {
    ...locked,
    image: images.registryd,
    labels: containerLabels(design, name, 'registryd'),
    environment: { ...tracingOf(name), LOG_FILE: '/var/log/registryd/registryd.log' },
    mem_limit: '256m',
    pids_limit: neighbourThreads,
    ...neighbour,
    volumes: [
      `${name}-registryd:/system/run/registryd:ro`,
      `${name}-registryd-socket:/run/registryd`,
      `${name}-registryd-log:/var/log/registryd`,
      `${name}-registryd-cache:/var/lib/registryd`,
      started,
    ],
  };
  // It only reads the host's sysfs here, which shows the same in every container.
  const udevdBridge: Mapping = {
    ...locked,
    image: images.udevdBridge,
    labels: containerLabels(design, name, 'udevd-bridge'),
    environment: { ...tracingOf(name), LOG_FILE: '/var/log/udevd-bridge/udevd-bridge.log' },
    mem_limit: '128m',
    pids_limit: neighbourThreads,
    ...neighbour,
    volumes: [
      `${name}-udevd-bridge:/run/udevd-bridge`,
      `${name}-udevd-bridge-log:/var/log/udevd-bridge`,
      started,
    ],
  };
  return {
    [name]: machined,
    [`${name}-apid`]: apid,
    [`${name}-udevd-bridge`]: udevdBridge,
    ...(isControlPlane ? { [`${name}-trustd`]: trustd } : {}),
    [`${name}-registryd`]: registryd,
  };
}

/**
 * The labels by which machined finds the container of a daemon of its node, with the namespace and id that
 * clients see.
 */
function containerLabels({ name }: StackDesign, node: string, id: string): Mapping {
  return {
    [ownLabels.cluster]: name,
    [ownLabels.node]: node,
    [ownLabels.namespace]: 'system',
    [ownLabels.container]: id,
  };
}

/** The other services that run: a time server, and Jaeger for the nodes' traces. */
function companionServices({ network, tag, jaegerPort, otlpPort }: StackDesign): Record<string, Mapping> {
  const program = '/usr/lib/nodewright/time-server';
  return {
    time: {
      ...locked,
      image: stackImages(tag).toolbox,
      entrypoint: [
        '/usr/bin/node',
        '--disable-sigusr1',
        '--max-semi-space-size=2',
        '--permission',
        '--allow-net',
        '--disable-warning=ExperimentalWarning',
        `--allow-fs-read=${program}`,
        `${program}/time-server.cjs`,
      ],
      mem_limit: '96m',
      networks: { cluster: { ipv4_address: `${network}.${timeHost}` } },
    },
    jaeger: {
      ...locked,
      image: jaegerImage,
      // Traces are kept in memory only, and are lost when the container ends.
      mem_limit: '512m',
      tmpfs: ['/tmp:size=64m'],
      ports: [`127.0.0.1:${jaegerPort}:${jaegerPorts.page}`, `127.0.0.1:${otlpPort}:${jaegerPorts.otlp}`],
      networks: { cluster: { ipv4_address: `${network}.${jaegerHost}` } },
    },
  };
}

/** talosctl, for hosts that cannot reach the network of the stack. */
function toolService({ tag }: StackDesign): Mapping {
  return {
    ...locked,
    restart: 'no',
    profiles: ['tools'],
    image: stackImages(tag).toolbox,
    environment: tracing,
    mem_limit: '192m',
    networks: ['cluster'],
    volumes: ['admin:/cluster/admin:ro'],
  };
}

function nodeVolumes({ name, type }: PlannedNode): Record<string, Mapping | null> {
  return {
    [`${name}-state`]: null,
    [`${name}-machined`]: shared('256k', 52, 50),
    [`${name}-apid`]: shared('256k', 52, 50),
    [`${name}-apid-log`]: shared('4m', 50, 50),
    [`${name}-registryd`]: shared('256k', 52, 53),
    [`${name}-registryd-socket`]: shared('64k', 53, 53),
    [`${name}-registryd-log`]: shared('4m', 53, 53),
    [`${name}-registryd-cache`]: null,
    [`${name}-udevd-bridge`]: shared('256k', 54, 54),
    [`${name}-udevd-bridge-log`]: shared('4m', 54, 54),
    // Only machined writes it, and it holds no secret.
    [`${name}-started`]: {
      driver_opts: { type: 'tmpfs', device: 'tmpfs', o: 'size=64k,mode=0755,uid=52,gid=52' },
    },
    ...(type === 'controlplane'
      ? {
          [`${name}-trustd`]: shared('256k', 52, 51),
          [`${name}-trustd-log`]: shared('4m', 51, 51),
          [`${name}-lib`]: null,
          [`${name}-secrets`]: ownFolder,
        }
      : {}),
  };
}

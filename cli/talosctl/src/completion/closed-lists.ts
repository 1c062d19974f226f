import { roles } from '@nodewright/contract';
import { nameTemplateOf } from '../render/name-templates.ts';
import { describedCandidates } from './candidate.ts';
import type { ValueSource } from './value-source.ts';

const closed = (descriptions: Readonly<Record<string, string>>, isList = false): ValueSource => ({
  kind: 'closed',
  candidates: describedCandidates(descriptions),
  isList,
});

const usual = (descriptions: Readonly<Record<string, string>>): ValueSource => ({
  kind: 'usual',
  candidates: describedCandidates(descriptions),
  isList: true,
});

/** What `-o` of a command takes. @param path names of the command, such as `etcd members` */
export function outputFormatsOf(path: string): ValueSource {
  const hasNames = nameTemplateOf(path) !== undefined;
  return closed({
    table: 'a table',
    wide: 'a table with every column',
    json: 'JSON',
    yaml: 'YAML',
    ...(hasNames ? { name: 'names, a line each' } : {}),
    'jsonpath=': 'what a JSONPath in braces finds',
  });
}

export const summaryFormats = closed({ table: 'a table', json: 'JSON', yaml: 'YAML' });

export const dashboardOutputs = closed({
  screen: 'live on the terminal',
  json: 'an object a line and an interval',
});

export const graphFormats = closed({
  dot: 'the language of Graphviz',
  svg: 'a picture',
  json: 'JSON',
  yaml: 'YAML',
});

export const applyModes = closed({
  auto: 'at once, without a reboot',
  'no-reboot': 'at once, and refused when it needs a reboot',
  staged: 'at the next boot',
  try: 'at once, and taken back after --timeout',
});

export const rebootModes = closed({
  default: 'stop services, then reboot',
  powercycle: 'reboot through the firmware, not with kexec',
  force: 'reboot without stopping anything first',
});

export const wipeModes = closed({
  all: 'the system disk and the disks of --user-disks-to-wipe',
  'system-disk': 'the system disk only',
  'user-disks': 'the disks of --user-disks-to-wipe only',
});

export const systemLabels = usual({
  EPHEMERAL: 'data of containers, of Kubernetes and of etcd',
  STATE: 'the machine configuration and the identity of the node',
});

export const validationModes = closed({
  metal: 'a physical or virtual machine',
  cloud: 'a machine of a cloud',
  container: 'a container',
});

export const imageNamespaces = closed({
  cri: 'images of Kubernetes',
  system: 'images of the system, on disk',
  inmem: 'images of the system, in memory',
});

export const cgroupColumns = closed({
  cpu: 'processor time and limits',
  cpuset: 'processors and memory nodes to run on',
  io: 'bytes and operations of block devices',
  memory: 'memory in use and its limits',
  process: 'processes',
  psi: 'pressure: time lost waiting for resources',
  swap: 'swap in use and its limits',
});

export const processOrders = closed({ rss: 'resident memory', cpu: 'processor time' });

export const fileTypes = closed({ d: 'folders', f: 'files', l: 'links' }, true);

export const booleans = closed({ true: 'yes', false: 'no' });

export const progressKinds = closed({ auto: 'as the terminal allows', plain: 'lines without colours' });

export const provisionerChoices = closed({
  process: 'nodes are processes of this machine',
  docker: 'nodes are containers',
  qemu: 'nodes are virtual machines',
});

export const outputTypes = closed(
  {
    controlplane: 'configuration of control planes',
    worker: 'configuration of workers',
    talosconfig: 'configuration of the client',
  },
  true,
);

export const configVersions = closed({ v1alpha1: 'the only version' });

const roleDescriptions: Readonly<Record<keyof typeof roles, string>> = {
  admin: 'everything',
  operator: 'read, and operate: reboot, restart services, back etcd up',
  reader: 'read what is not secret',
  etcdBackup: 'take snapshots of etcd',
  imageVerifier: 'verify images',
  metaWriter: 'write and delete values of META',
  impersonator: 'call on behalf of others, as nodes do',
};

export const roleNames = usual(
  Object.fromEntries(
    (Object.keys(roles) as (keyof typeof roles)[]).map((key) => [roles[key], roleDescriptions[key]]),
  ),
);

export const serviceActions = closed({
  restart: 'stop it, then start it',
  start: 'start it',
  status: 'show it',
  stop: 'stop it',
});

export const shellNames = closed({
  bash: 'values only',
  fish: 'values with descriptions',
  powershell: 'values with descriptions',
  zsh: 'values with descriptions',
});

export const applyKinds = closed({
  config: 'the machine configuration',
  machineconfig: 'the machine configuration',
});

export const changeableKinds = closed({
  machineconfig: 'the machine configuration',
  mc: 'the machine configuration',
});

export const proxyUrls: ValueSource = {
  kind: 'usual',
  candidates: describedCandidates({ direct: 'no proxy, whatever the environment says' }),
};

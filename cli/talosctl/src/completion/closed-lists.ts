import { roles } from '@nodewright/contract';
import { volumeIds, volumeRow, wipeableVolumes } from '@nodewright/contract/volumes';
import { nameTemplateOf } from '../render/name-templates.ts';
import { outputChoices } from '../render/output-format.ts';
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

/** The values of `-o` of a command. @param path the full name of the command, such as `etcd members` */
export function outputFormatsOf(path: string): ValueSource {
  const hasNames = nameTemplateOf(path) !== undefined;
  return closed({
    table: 'a table',
    wide: 'a table with every column',
    json: 'JSON',
    yaml: 'YAML',
    ...(outputChoices(path).includes('raw') ? { raw: 'the lines as they are' } : {}),
    ...(hasNames ? { name: 'names, one per line' } : {}),
    'jsonpath=': 'the result of a JSONPath in braces',
  });
}

export const summaryFormats = closed({ table: 'a table', json: 'JSON', yaml: 'YAML' });

export const rolloutTasks = closed({
  status: 'show the upgrade of all nodes',
  resume: 'go on with one that has paused or stopped',
  abort: 'end one: no other node begins',
});

export const proofKinds = closed({
  files: 'compare what nodes make of both',
  run: 'also give the new one to three control planes of processes',
});

export const cacheLayouts = closed({
  oci: 'an OCI layout with one image that holds the cache',
  flat: 'one file for each blob and each name',
});

export const dashboardOutputs = closed({
  screen: 'a live view on the terminal',
  json: 'one object per line and interval',
});

export const graphFormats = closed({
  dot: 'text for Graphviz',
  svg: 'a picture',
  json: 'JSON',
  yaml: 'YAML',
});

export const applyModes = closed({
  auto: 'at once, without a reboot',
  'no-reboot': 'at once; rejected if it needs a reboot',
  staged: 'at the next boot',
  try: 'at once; reverted after --timeout',
});

export const rebootModes = closed({
  default: 'stop services, then reboot',
  powercycle: 'reboot through the firmware, not with kexec',
  force: 'reboot without stopping services first',
});

export const wipeModes = closed({
  all: 'the system disk and the disks of --user-disks-to-wipe',
  'system-disk': 'the system disk only',
  'user-disks': 'the disks of --user-disks-to-wipe only',
});

export const deviceWipeMethods = closed({
  FAST: 'what makes the contents recognisable: the first and the last MiB',
  ZEROES: 'everything, which takes as long as writing the whole device',
});

export const systemLabels = usual(
  Object.fromEntries(
    wipeableVolumes
      .filter((id) => id !== volumeIds.meta)
      .toReversed()
      .map((id) => [id, volumeRow(id).help]),
  ),
);

export const validationModes = closed({
  metal: 'a physical or virtual machine',
  cloud: 'a machine of a cloud provider',
  container: 'a container',
});

export const imageNamespaces = closed({
  cri: 'images of Kubernetes',
  system: 'images of the system, on disk',
  inmem: 'images of the system, in memory',
});

export const cgroupColumns = closed({
  cpu: 'CPU time and limits',
  cpuset: 'allowed CPUs and memory nodes',
  io: 'bytes and operations of block devices',
  memory: 'memory in use and its limits',
  process: 'processes',
  psi: 'pressure: time lost waiting for resources',
  swap: 'swap in use and its limits',
});

export const processOrders = closed({ rss: 'resident memory', cpu: 'CPU time' });

export const fileTypes = closed({ d: 'folders', f: 'files', l: 'links' }, true);

export const booleans = closed({ true: 'yes', false: 'no' });

export const progressKinds = closed({
  auto: 'redrawn on a terminal, otherwise plain',
  plain: 'lines without colours',
});

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
  operator: 'read and operate: reboot, restart services, back up etcd',
  reader: 'read everything except secrets',
  etcdBackup: 'take snapshots of etcd',
  imageVerifier: 'verify images',
  metaWriter: 'write and delete values of META',
  impersonator: 'make calls in the name of other users, as nodes do',
};

export const roleNames = usual(
  Object.fromEntries(
    (Object.keys(roles) as (keyof typeof roles)[]).map((key) => [roles[key], roleDescriptions[key]]),
  ),
);

export const serviceActions = closed({
  restart: 'stop the service, then start it',
  start: 'start the service',
  status: 'show the service',
  stop: 'stop the service',
});

export const shellNames = closed({
  bash: 'values without descriptions',
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
  candidates: describedCandidates({ direct: 'no proxy, even if the environment sets one' }),
};

// A field that a node sends and no user sees is forgotten easily: every field of what a command asks for changes what
// the command prints, or stands here with the reason why it is left out.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { noTelemetry } from '@nodewright/telemetry';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeHandler } from './fake-gateway.ts';
import { responseOf, type SampleField, sampleFields, sampleMessage } from './field-samples.ts';

interface Table {
  /** Command lines that print tables of the answer; a field may stand in any of them. */
  readonly lines: readonly string[];
  /** Fields that none of them shows, by full name, and why. */
  readonly leftOut?: Readonly<Record<string, string>>;
}

/** The commands that print the responses of a method, and the fields that they leave out. */
const tables: Readonly<Record<string, Table>> = {
  '/machine.MachineService/Containers': {
    lines: ['containers', 'containers -k'],
    leftOut: {
      'machine.ContainerInfo.internal_id': 'the id says which container it is',
      'machine.ContainerInfo.name': 'the id says which container it is',
      'machine.ContainerInfo.network_namespace': 'for `netstat --pods`, which looks up pods by it',
      'machine.ContainerInfo.uid': 'the id of a pod names it',
    },
  },
  '/machine.MachineService/DiskUsage': {
    lines: ['usage /'],
    leftOut: { 'machine.DiskUsageInfo.name': 'the table has the path below the folder that was asked for' },
  },
  '/machine.MachineService/EtcdAlarmList': { lines: ['etcd alarm list'] },
  '/machine.MachineService/EtcdMemberList': {
    lines: ['etcd members'],
    leftOut: { 'machine.EtcdMembers.legacy_members': 'names of the members, for clients of old' },
  },
  '/machine.MachineService/EtcdStatus': { lines: ['etcd status'] },
  '/machine.MachineService/List': {
    lines: ['list -l /', 'list /'],
    leftOut: {
      'machine.FileInfo.is_dir': 'the mode says so',
      'machine.FileInfo.name': 'the table has the path below the folder that was asked for',
      'machine.Xattr.data': 'of the attributes the table has the SELinux label alone',
      'machine.Xattr.name': 'of the attributes the table has the SELinux label alone',
    },
  },
  '/machine.MachineService/Memory': { lines: ['memory -v', 'memory'] },
  '/machine.MachineService/Mounts': { lines: ['mounts'] },
  '/machine.MachineService/Netstat': {
    lines: ['netstat -v -a -x -p --timers'],
    leftOut: {
      'machine.ConnectRecord.netns': 'stands for the pod, which --pods looks up',
      'machine.ConnectRecord.pointer': 'an address of the kernel; upstream does not show it either',
      'machine.ConnectRecord.ref': 'references of the kernel; upstream does not show them either',
    },
  },
  '/machine.MachineService/Processes': {
    lines: ['processes'],
    leftOut: {
      'machine.ProcessInfo.command': 'shown where there is no command line: for threads of the kernel',
      'machine.ProcessInfo.ppid': 'in -o json and in `support`; upstream has no column for it',
    },
  },
  '/machine.MachineService/ServiceList': {
    lines: ['service', 'service alpha'],
    leftOut: { 'machine.ServiceHealth.last_change': 'upstream shows when the last event was' },
  },
  '/machine.MachineService/Stats': {
    lines: ['stats', 'stats -k'],
    leftOut: { 'machine.Stat.name': 'the id says which container it is' },
  },
  '/machine.MachineService/Version': {
    lines: ['version'],
    leftOut: {
      'machine.PlatformInfo.mode': 'in -o json; upstream does not show it either',
      'machine.PlatformInfo.name': 'in -o json; upstream does not show it either',
    },
  },
  '/machine.ImageService/List': { lines: ['image list'] },
  '/suite.extensions.v1.ExtensionSetService/Status': {
    lines: ['extensions sets'],
    leftOut: {
      'suite.extensions.v1.StatusResponse.next_start': 'a row for the next start shows the set that it tries',
    },
  },
  '/suite.registry.v1.RegistryService/ListImages': { lines: ['registry images'] },
  '/suite.registry.v1.RegistryService/Status': {
    lines: ['registry status', 'registry upstreams', 'registry transfers'],
    leftOut: {
      'suite.registry.v1.StatusResponse.cache_folder': 'in -o json; the same on every node',
      'suite.registry.v1.StatusResponse.roots': 'in -o json; the same on every node',
    },
  },
  '/suite.upgrade.v1.RolloutService/Status': {
    lines: ['upgrade status'],
    leftOut: {
      'suite.upgrade.v1.Rollout.is_settled': 'the phase says so; programs have it in -o json',
      'suite.upgrade.v1.RolloutNode.plan': 'names resources of the node, for programs that follow its steps',
      'suite.upgrade.v1.RolloutNode.spent_ms': 'the table has it while the node acts',
    },
  },
  '/suite.upgrade.v1.RolloutService/Watch': {
    lines: ['upgrade status --watch'],
    leftOut: {
      'suite.upgrade.v1.Rollout.is_settled': 'the phase says so; programs have it in -o json',
      'suite.upgrade.v1.RolloutNode.plan': 'names resources of the node, for programs that follow its steps',
      'suite.upgrade.v1.RolloutNode.spent_ms': 'the table has it while the node acts',
    },
  },
  '/suite.registry.v1.RegistryService/WatchTransfers': { lines: ['registry transfers --follow'] },
  '/time.TimeService/Time': { lines: ['time'] },
};

const dashboard = 'the dashboard draws what fits on the screen; its views have tests of their own';
const content = 'the command prints or saves the content';

/** Further methods that only read and that a command calls, each with the reason why its output is not a table. */
const withoutTable: Readonly<Record<string, string>> = {
  '/machine.MachineService/Copy': content,
  '/machine.MachineService/CPUFreqStats': dashboard,
  '/machine.MachineService/CPUInfo': dashboard,
  '/machine.MachineService/DiskStats': dashboard,
  '/machine.MachineService/Dmesg': content,
  '/machine.MachineService/EtcdDowngradeValidate': 'the command prints a sentence',
  '/machine.MachineService/EtcdSnapshot': content,
  '/machine.MachineService/Events': 'what an event says depends on its type',
  '/machine.MachineService/Hostname': dashboard,
  '/machine.MachineService/ImageList': 'only old nodes are asked so; the table is that of ImageService',
  '/machine.MachineService/LoadAvg': dashboard,
  '/machine.MachineService/Logs': content,
  '/machine.MachineService/LogsContainers': 'the command saves the logs of each',
  '/machine.MachineService/NetworkDeviceStats': dashboard,
  '/machine.StorageService/Statfs':
    'diskfree asks for each volume that a resource lists; its own test compares the columns',
  '/machine.MachineService/PacketCapture': content,
  '/machine.MachineService/Read': content,
  '/machine.MachineService/SystemStat': dashboard,
  '/cluster.ClusterService/HealthCheck': 'the command prints the sentences of the node',
  '/inspect.InspectService/ControllerRuntimeDependencies': 'the command prints a graph',
  '/storage.StorageService/Disks': 'only asked whether it answers: a node in maintenance does not',
  '/time.TimeService/TimeCheck': 'the same answer as Time',
  '/cosi.resource.State/Get': 'tables of resources are in their definitions',
  '/cosi.resource.State/List': 'tables of resources are in their definitions',
  '/cosi.resource.State/Watch': 'tables of resources are in their definitions',
};

const scope = new AsyncDisposableStack();
let talosconfig: string;
let answered: { readonly path: string; readonly message: Uint8Array } | undefined;

before(async () => {
  const cluster = scope.use(await FakeCluster.create());
  const answer: FakeHandler = (call) => {
    if (call.path !== answered?.path) return call.fail(12, `the test answers ${answered?.path} alone`);
    call.send(answered.message);
    call.end();
  };
  const gateway = await cluster.gateway(
    Object.fromEntries(Object.keys(tables).map((path) => [path, answer])),
  );
  talosconfig = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01'] });
});
after(() => scope.disposeAsync());

async function printed(line: string): Promise<string> {
  const output = { stdout: '', stderr: '' };
  const writer = (name: keyof typeof output) => ({
    write: (text: string | Uint8Array) => {
      output[name] += Buffer.from(text).toString();
      return true;
    },
  });
  const exitCode = await runCli([...line.split(' '), '-n', 'node01'], {
    ...{ stdout: writer('stdout'), stderr: writer('stderr'), stdin: process.stdin, cwd: '/' },
    environment: { TALOSCONFIG: talosconfig },
    now: () => new Date(2_000_000_000_000),
    signal: new AbortController().signal,
    isInteractive: false,
    telemetry: async () => noTelemetry,
  } as never);
  return `${exitCode}\n${output.stdout}\n${output.stderr}`;
}

/** The fields whose value makes no difference to any of the lines. */
async function unseenFields(path: string, lines: readonly string[]): Promise<SampleField[]> {
  const response = responseOf(path);
  const unseen: SampleField[] = [];
  const known = new Map<string, string>();
  const outputOf = async (line: string, message: Uint8Array) => {
    const key = `${line} ${Buffer.from(message).toString('hex')}`;
    answered = { path, message };
    const output = known.get(key) ?? (await printed(line));
    known.set(key, output);
    return output;
  };
  for (const field of sampleFields(response)) {
    const [usual, changed] = [false, true].map((isChanged) => sampleMessage(response, field.path, isChanged));
    let isSeen = false;
    for (const line of lines) {
      isSeen ||=
        (await outputOf(line, usual as Uint8Array)) !== (await outputOf(line, changed as Uint8Array));
    }
    if (!isSeen) unseen.push(field);
  }
  return unseen;
}

for (const [path, { lines, leftOut = {} }] of Object.entries(tables)) {
  test(`${lines.join(', ')}: each field of ${path} is shown or left out with a reason`, async () => {
    const unseen = (await unseenFields(path, lines)).map(({ name }) => name);
    assert.deepEqual([...new Set(unseen)].sort(), Object.keys(leftOut).sort());
  });
}

test('every method that only reads and that a command is for has its table here, or a reason for none', () => {
  const reads = Object.entries(methodTable)
    .filter(([, rule]) => !rule.mutates && rule.command !== undefined && rule.notImplemented === undefined)
    .map(([path]) => path);
  assert.deepEqual([...Object.keys(tables), ...Object.keys(withoutTable)].sort(), reads.sort());
});

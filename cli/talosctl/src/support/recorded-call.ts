import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import { InspectServiceDefinition } from '@nodewright/contract/gen/inspect/inspect.ts';
import { MachineServiceDefinition, NetstatRequest_Filter } from '@nodewright/contract/gen/machine/machine.ts';
import { StorageServiceDefinition } from '@nodewright/contract/gen/storage/storage.ts';
import { TimeServiceDefinition } from '@nodewright/contract/gen/time/time.ts';
import { netstatRequest } from '../values/netstat-request.ts';

/** The file of a node with answers of its API, a line of JSON for each. `talosctl replay` gives them again. */
export const recordedCallsName = 'api.jsonl';
/** The file of a node with the protobuf form of its resources, a line of JSON for each. */
export const recordedSpecsName = 'specs.jsonl';

/** The names in an archive of the files of a node that it contains. */
export const recordedFiles: Readonly<Record<string, string>> = {
  '/proc/bus/pci/devices': 'devices',
  '/proc/sys/kernel/random/boot_id': 'boot-id',
};

/** A line of `api.jsonl`: an answer, or why there was none. */
export interface RecordedCall {
  /** `/machine.MachineService/Version`. */
  readonly method: string;
  /** The request, protobuf in base64. */
  readonly request: string;
  /** The response, protobuf in base64. */
  readonly response?: string;
  /** The gRPC status, if the call failed. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** A line of `specs.jsonl`. */
export interface RecordedSpec {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  /** The spec, protobuf in base64. */
  readonly proto: string;
}

/** A codec of a message, as the generated code has it. */
export interface MessageCodec {
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
  fromPartial(message: object): unknown;
}

/** A unary method of a service, and the requests whose answers an archive has. */
export interface RecordedMethod {
  readonly definition: { readonly fullName: string; readonly methods: Readonly<Record<string, unknown>> };
  /** The key of the method in the definition and in its clients: `serviceList`. */
  readonly key: string;
  readonly requests: readonly object[];
}

const plain: readonly object[] = [{}];
/** The containers of the node itself, and those of Kubernetes. */
const containers = [
  { namespace: 'system', driver: ContainerDriver.CONTAINERD },
  { namespace: 'k8s.io', driver: ContainerDriver.CRI },
];
const everySocket = {
  ...netstatRequest({ all: true, verbose: true, programs: true }),
  filter: NetstatRequest_Filter.ALL,
};

const machineMethods = [
  ...['version', 'hostname', 'serviceList', 'logsContainers', 'mounts', 'memory', 'loadAvg', 'systemStat'],
  ...['cPUInfo', 'cPUFreqStats', 'networkDeviceStats', 'diskStats', 'processes'],
  ...['etcdMemberList', 'etcdStatus', 'etcdAlarmList'],
];

/** What `talosctl support` records of the API, apart from logs and resources. */
export const recordedMethods: readonly RecordedMethod[] = [
  ...machineMethods.map((key) => ({ definition: MachineServiceDefinition, key, requests: plain })),
  ...['containers', 'stats'].map((key) => ({
    ...{ definition: MachineServiceDefinition, key, requests: containers },
  })),
  { definition: MachineServiceDefinition, key: 'netstat', requests: [everySocket] },
  { definition: StorageServiceDefinition, key: 'disks', requests: plain },
  { definition: TimeServiceDefinition, key: 'time', requests: plain },
  { definition: InspectServiceDefinition, key: 'controllerRuntimeDependencies', requests: plain },
];

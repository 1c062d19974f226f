// For tests: a cluster of four nodes at one moment, built from the events that a real one would send.
import {
  DiskStats,
  EtcdMember,
  EtcdMemberStatus,
  LoadAvg,
  MemInfo,
  NetworkDeviceStats,
  ProcessInfo,
  ServiceInfo,
  SystemStat,
} from '@nodewright/contract/gen/machine/machine.ts';
import { EncodedSpec, type Resource, type ResourceDefinitionSpec } from '@nodewright/state';
import type { EtcdSample } from '../model/etcd.ts';
import type { EventLine } from '../model/event-log.ts';
import { afterNodeEvent, type NodeEvent } from '../model/events.ts';
import type { Facts } from '../model/facts.ts';
import { kernelLog } from '../model/log.ts';
import { type DashboardModel, newModel } from '../model/model.ts';
import type { Sample } from '../model/sample.ts';

/** 03:00 in the time zone of the tests. */
export const now = new Date(2026, 0, 10, 3, 0, 0);

const createdMs = Date.UTC(2026, 0, 10);

const secondsAgo = (seconds: number) => ({
  seconds: BigInt(Math.floor(now.getTime() / 1000) - seconds),
  nanos: 0,
});

/** The figures of a node in sample number `step`; samples are three seconds apart. */
export function sampleAt(step: number, busy = 0.3): Sample {
  const passed = step * 300;
  const cpu = {
    user: passed * busy * 0.5,
    system: passed * 0.1,
    idle: passed * (0.88 - busy * 0.5),
    iowait: passed * 0.02,
  };
  const bytes = BigInt(step) * 3_000_000n;
  return {
    atMs: now.getTime() - 9000 + step * 3000,
    elapsedMs: step * 3000,
    load: LoadAvg.fromPartial({ load1: 1.5, load5: 0.75, load15: 0.25 }),
    memory: MemInfo.fromPartial({
      ...{ memtotal: 16_777_216n, memfree: 2_097_152n, memavailable: 4_194_304n, cached: 3_145_728n },
      ...{ swaptotal: 1_048_576n, swapfree: 1_048_576n },
    }),
    system: SystemStat.fromPartial({
      ...{ bootTime: BigInt(now.getTime() / 1000 - 93_784), processRunning: 3n, processBlocked: 1n },
      ...{ cpuTotal: cpu, cpu: [cpu, { ...cpu, user: 0, idle: passed * 0.98 - passed * 0.1 }] },
    }),
    services: [
      service('apid', 'Running', true, 7200),
      service('etcd', 'Failed', false, 42),
      service('machined', 'Running', true, 93_780),
    ],
    network: NetworkDeviceStats.fromPartial({
      devices: [
        { name: 'eth0', rxBytes: bytes * 2n, txBytes: bytes, rxDropped: 7n },
        { name: 'lo', rxBytes: 1000n, txBytes: 1000n },
      ],
    }),
    disks: DiskStats.fromPartial({
      devices: [
        { name: 'vda', readSectors: bytes / 512n, writeSectors: bytes / 128n, ioTimeMs: BigInt(step * 2850) },
        { name: 'loop0' },
      ],
    }),
    processes: [
      process(1, 'machined', 82_000_000n, step * 0.3),
      process(
        812,
        'etcd --name \u001b[31mnode01\u001b[0m --data-dir=/var/lib/etcd',
        640_000_000n,
        step * 1.5,
      ),
      process(40, 'kthreadd', 0n, 0),
    ],
  };
}

function service(id: string, state: string, healthy: boolean, age: number): ServiceInfo {
  return ServiceInfo.fromPartial({
    ...{ id, state, health: { healthy, unknown: false } },
    events: { events: [{ msg: 'changed', state, ts: secondsAgo(age) }] },
  });
}

function process(pid: number, args: string, residentMemory: bigint, cpuTime: number): ProcessInfo {
  const command = args.split(' ')[0] as string;
  return ProcessInfo.fromPartial({
    pid,
    args,
    command,
    executable: command,
    residentMemory,
    cpuTime,
    state: 'S',
    threads: 9,
  });
}

const facts = {
  status: {
    stage: 'running',
    status: { ready: false, unmetConditions: [{ name: 'services', reason: 'etcd is not healthy' }] },
  },
  type: 'controlplane',
  hostname: { hostname: 'cp-first', domainname: 'example.org' },
  version: { name: 'Talos', version: 'v1.14.0' },
  cluster: { clusterId: 'x', clusterName: 'night' },
  network: { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
  resolvers: { dnsServers: ['10.0.0.53'], searchDomains: [] },
  timeServers: { timeServers: ['time.example.org'], useNTS: false },
  addresses: [{ id: 'current', spec: { addresses: ['10.0.0.1/24', 'fd00::1/64'], sortAlgorithm: 'v1' } }],
  routes: [{ id: 'default', spec: { dst: '', gateway: '10.0.0.254' } }],
  diagnostics: [{ id: 'clock', spec: { message: 'the clock is off', details: ['by 3h'] } }],
  members: [
    { id: 'a', spec: { machineType: 'controlplane' } },
    { id: 'b', spec: { machineType: 'worker' } },
  ],
} as unknown as Facts;

const kinds: ResourceDefinitionSpec[] = [
  definition('Members.cluster.talos.dev', 'Member', 'cluster', [
    { name: 'Hostname', jsonPath: '{.hostname}' },
  ]),
  definition('HostnameStatuses.net.talos.dev', 'HostnameStatus', 'network', []),
  {
    ...definition('OSRootSecrets.secrets.talos.dev', 'OSRootSecret', 'secrets', []),
    sensitivity: 'sensitive',
  },
];

function definition(
  type: string,
  displayType: string,
  defaultNamespace: string,
  printColumns: ResourceDefinitionSpec['printColumns'],
): ResourceDefinitionSpec {
  const aliases = [displayType.toLowerCase()];
  return {
    ...{ type, displayType, defaultNamespace, aliases, allAliases: aliases, printColumns },
    ...{ skipAutomaticAliases: false, sensitivity: '' },
  };
}

/** An event at a time within the last minute. */
function event(id: string, type: string, source: string, message: string, actorId = ''): EventLine {
  return { id, atMs: now.getTime() - 60_000 + Number(id.slice(1)) * 1000, type, source, message, actorId };
}

/** Three members: the leader, one that does not answer, and one that is behind and has an alarm. */
function etcdSampleAt(step: number): EtcdSample {
  const member = (id: number, hostname: string) => EtcdMember.fromPartial({ id: BigInt(id), hostname });
  const status = (id: number, lag: number) =>
    EtcdMemberStatus.fromPartial({
      ...{ memberId: BigInt(id), leader: 1n, raftTerm: 7n, raftIndex: BigInt(step * 60_000) },
      ...{ raftAppliedIndex: BigInt(step * 60_000 - lag), dbSize: 52_428_800n, dbSizeInUse: 20_971_520n },
      protocolVersion: '3.7.3',
    });
  return {
    atMs: now.getTime() - 6000 + step * 3000,
    elapsedMs: step * 3000,
    members: [
      { member: member(1, 'node01'), status: status(1, 0), problem: undefined, alarms: [] },
      { member: member(2, 'node02'), status: status(2, 1200), problem: undefined, alarms: ['NOSPACE'] },
      {
        member: member(3, 'node\u202e03'),
        status: undefined,
        problem: 'no route to \u001b[2Jnode',
        alarms: [],
      },
    ],
  };
}

/** A resource as a node sends it. */
export function member(id: string): Resource<EncodedSpec> {
  return {
    metadata: {
      ...{
        namespace: 'cluster',
        type: 'Members.cluster.talos.dev',
        id,
        version: 3,
        owner: 'cluster.MemberController',
      },
      ...{ phase: 'running', finalizers: [], labels: {}, annotations: {} },
      ...{ createdMs, updatedMs: createdMs },
    },
    spec: new EncodedSpec(`hostname: ${id}\nmachineType: worker\n`, new Uint8Array()),
  };
}

export function afterEvents(
  model: DashboardModel,
  node: string,
  ...events: readonly NodeEvent[]
): DashboardModel {
  return events.reduce((after, event) => afterNodeEvent(after, node, event), model);
}

/** node01 busy and unhealthy, node02 healthy, node03 away, 日本-node without any event yet. */
export function sampleModel(): DashboardModel {
  const empty = newModel(['node01', 'node02', 'node03', '日本-node']);
  const first = afterEvents(
    empty,
    'node01',
    ...[1, 2, 3].map((step): NodeEvent => ({ kind: 'sampled', sample: sampleAt(step, 0.2 * step) })),
    { kind: 'facts', facts },
    { kind: 'log-opened', log: kernelLog },
    {
      kind: 'log-lines',
      log: kernelLog,
      lines: [
        'kern:    info: [2026-01-10T02:59:58.5Z]: eth0: link \u001b[2Jup\u0007',
        'kern:     err: [2026-01-10T02:59:59.5Z]: disk 光 failed',
      ],
      atMs: createdMs,
    },
    {
      kind: 'log-lines',
      log: 'etcd',
      lines: ['{"level":"warn","time":"2026-01-10T02:59:59Z","msg":"slow","took":"3s"}'],
      ...{ atMs: createdMs, ownCount: 12 },
    },
    {
      kind: 'log-lines',
      log: 'apid',
      lines: [
        '{"level":"info","time":"2026-01-10T02:59:58Z","msg":"request \u202efinished"}',
        '{"level":"info","time":"2026-01-10T03:00:00Z","msg":"request finished","code":"OK"}',
      ],
      atMs: createdMs,
    },
    {
      kind: 'happened',
      events: [
        event('a1', 'Sequence', 'boot', 'START'),
        event('a3', 'Service', 'etcd', 'FAILED: \u001b[31mexit 1\u0007', 'actor-of-one'),
      ],
    },
    { kind: 'etcd-sampled', sample: etcdSampleAt(1) },
    { kind: 'etcd-sampled', sample: etcdSampleAt(2) },
    { kind: 'kinds', kinds },
    {
      kind: 'listed',
      listed: { type: 'Members.cluster.talos.dev', resources: ['cp-1', 'cp-2'].map(member) },
    },
  );
  const second = afterEvents(
    first,
    'node02',
    ...[1, 2].map((step): NodeEvent => ({ kind: 'sampled', sample: { ...sampleAt(step), services: [] } })),
    {
      kind: 'facts',
      facts: {
        status: { stage: 'running', status: { ready: true, unmetConditions: [] } },
        type: 'worker',
      } as unknown as Facts,
    },
    { kind: 'happened', events: [event('a2', 'Task', 'stopAll\u202eServices', 'START', 'actor-of-one')] },
  );
  return afterEvents(second, 'node03', {
    kind: 'lost',
    message: 'no route to node "node03": connect ECONNREFUSED 10.0.0.3:50000 (via 10.0.0.1)',
    hop: '10.0.0.1',
    atMs: now.getTime() - 75_000,
  });
}

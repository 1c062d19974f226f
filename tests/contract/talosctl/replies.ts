// The answers of the simulated nodes: small, fixed, and different per node where that matters.
import { Data } from '@nodewright/contract/gen/common/common.ts';
import {
  GenerateClientConfigurationResponse,
  LogsRequest,
  MemoryResponse,
  MountsResponse,
  ProcessesResponse,
  ServiceListResponse,
  ServiceRestartRequest,
  ServiceRestartResponse,
  VersionResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { TimeRequest, TimeResponse } from '@nodewright/contract/gen/time/time.ts';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';

interface Codec<Message, Partial> {
  fromPartial(value: Partial): Message;
  encode(message: Message): { finish(): Uint8Array };
}

/** Ends a call with one message. */
export function reply<Message, Partial>(
  call: FakeCall,
  codec: Codec<Message, Partial>,
  value: Partial,
): void {
  call.send(codec.encode(codec.fromPartial(value)).finish());
  call.end();
}

function secondsAgo(seconds: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.floor(Date.now() / 1000)) - BigInt(seconds), nanos: 0 };
}

const memory: FakeHandler = (call) =>
  reply(call, MemoryResponse, {
    messages: [
      {
        meminfo: {
          memtotal: 8_128_512n,
          memfree: 4_168_704n,
          buffers: 50_176n,
          cached: 3_015_680n,
          shmem: 140_288n,
          memavailable: call.node === 'node02' ? 64n * 1024n * 1024n : 7_211_008n,
          hugepagestotal: 5n,
        },
      },
    ],
  });

const version: FakeHandler = (call) =>
  reply(call, VersionResponse, {
    messages: [
      {
        version: {
          tag: 'v1.14.0',
          sha: 'abc1234',
          built: 'yesterday',
          goVersion: 'node26',
          os: 'linux',
          arch: 'amd64',
        },
        platform: { name: 'metal', mode: 'metal' },
        features: { rbac: true },
      },
    ],
  });

const processes: FakeHandler = (call) =>
  reply(call, ProcessesResponse, {
    messages: [
      {
        processes: [
          { pid: 2, state: 'S', threads: 1, cpuTime: 12.5, command: 'kthreadd' },
          {
            pid: 1,
            state: 'R',
            threads: 11,
            cpuTime: 3.456,
            virtualMemory: 1_100_000_000n,
            residentMemory: 82_000_000n,
            command: 'node',
            executable: '/usr/bin/node',
            args: 'node machined.cjs',
            label: 'system_u',
          },
        ],
      },
    ],
  });

const mounts: FakeHandler = (call) =>
  reply(call, MountsResponse, {
    messages: [
      {
        stats: [
          { filesystem: 'proc', size: 0n, available: 0n, mountedOn: '/proc' },
          { filesystem: '/dev/vda1', size: 10_000_000_000n, available: 2_500_000_000n, mountedOn: '/' },
        ],
      },
    ],
  });

const serviceList: FakeHandler = (call) =>
  reply(call, ServiceListResponse, {
    messages: [
      {
        services: [
          {
            id: 'apid',
            state: 'Running',
            events: {
              events: [
                { state: 'Preparing', msg: 'Creating service runner', ts: secondsAgo(4000) },
                { state: 'Running', msg: 'Health check successful', ts: secondsAgo(3600) },
              ],
            },
            health: { unknown: false, healthy: true, lastMessage: 'fine' },
          },
          { id: 'quiet', state: 'Waiting', events: { events: [] }, health: { unknown: true } },
          ...(call.node === 'node01'
            ? [{ id: 'etcd', state: 'Failed', events: { events: [] }, health: { healthy: false } }]
            : []),
        ],
      },
    ],
  });

const serviceRestart: FakeHandler = (call) => {
  const { id } = ServiceRestartRequest.decode(call.request);
  reply(call, ServiceRestartResponse, { messages: [{ resp: `Service "${id}" restarted` }] });
};

const localtime = { seconds: 1_786_708_800n, nanos: 123_000_000 };

function timeReply(call: FakeCall, server: string): void {
  const remotetime =
    call.node === 'node02' ? { seconds: 0n, nanos: -1 } : { seconds: 1_786_708_801n, nanos: 0 };
  reply(call, TimeResponse, { messages: [{ server, localtime, remotetime }] });
}

const logs: FakeHandler = (call) => {
  const { id, tailLines, follow } = LogsRequest.decode(call.request);
  if (id !== 'apid') return call.fail(5, `log "${id}" was not registered`);
  const send = (text: string) =>
    call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(text) })).finish());
  if (tailLines !== 1) send('first li');
  if (tailLines !== 1) send('ne\nsecond line\n');
  send('last, unfinished');
  if (!follow) call.end();
};

/** Handlers of a healthy cluster. */
export const healthyCluster: Readonly<Record<string, FakeHandler>> = {
  '/machine.MachineService/Logs': logs,
  '/machine.MachineService/Memory': memory,
  '/machine.MachineService/Mounts': mounts,
  '/machine.MachineService/Processes': processes,
  '/machine.MachineService/ServiceList': serviceList,
  '/machine.MachineService/ServiceRestart': serviceRestart,
  '/machine.MachineService/Version': version,
  '/time.TimeService/Time': (call) => timeReply(call, 'time.example.org'),
  '/time.TimeService/TimeCheck': (call) => timeReply(call, TimeRequest.decode(call.request).server),
};

/** The same, with one unreachable node. */
export function withBrokenNode(node: string): Readonly<Record<string, FakeHandler>> {
  return Object.fromEntries(
    Object.entries(healthyCluster).map(([path, handler]): [string, FakeHandler] => [
      path,
      (call) =>
        call.node === node ? call.fail(14, `no route to node "${node}": connection refused`) : handler(call),
    ]),
  );
}

/** Answers GenerateClientConfiguration with this talosconfig. */
export function issuing(talosconfig: string): FakeHandler {
  return (call) =>
    reply(call, GenerateClientConfigurationResponse, {
      messages: [{ talosconfig: Buffer.from(talosconfig) }],
    });
}

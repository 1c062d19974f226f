// A hundred simulated nodes behind one gateway, which write many lines of logs.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTalosClient, type TalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import {
  LoadAvgResponse,
  ServiceListResponse,
  SystemStatResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { pointerTo } from '@nodewright/state';
import { hostnameStatuses, machineStatuses, machineTypes, versions } from '@nodewright/state/kinds';
import { FakeCluster } from '../contract/talosctl/fake-cluster.ts';
import type { FakeCall, FakeHandler } from '../contract/talosctl/fake-gateway.ts';
import { healthyCluster, reply } from '../contract/talosctl/replies.ts';
import { openNodeStore, stateHandlers } from '../contract/talosctl/state-replies.ts';

export interface ManyNodes extends AsyncDisposable {
  readonly client: TalosClient;
  /** No call to the node succeeds any more, and those that are open fail. */
  kill(node: string): void;
  /** The node answers again. */
  revive(node: string): void;
}

export interface ManyNodesInit {
  readonly count: number;
  /** Of each log that is followed. */
  readonly linesPerSecond: number;
  /** Nodes with a service that failed. */
  readonly unwell?: readonly string[];
}

const started = Date.now();
const seconds = () => (Date.now() - started) / 1000;
/** Differs between nodes, and changes slowly. */
const wave = ({ node = '' }: FakeCall, period: number) =>
  (1 + Math.sin((seconds() + Number(node.slice(-3)) * 7) / period)) / 2;

const loadAvg: FakeHandler = (call) => {
  const load1 = 4 * wave(call, 20);
  reply(call, LoadAvgResponse, { messages: [{ load1, load5: 1, load15: 1 }] });
};

const systemStat: FakeHandler = (call) => {
  const busy = seconds() / 2 + 5 * wave(call, 30);
  const cpu = { user: busy, idle: seconds() * 2 - busy };
  reply(call, SystemStatResponse, {
    messages: [{ bootTime: 1_700_000_000n, cpuTotal: cpu, cpu: [cpu, cpu] }],
  });
};

const serviceList =
  (unwell: readonly string[]): FakeHandler =>
  (call) => {
    const isUnwell = unwell.includes(call.node ?? '');
    const running = (id: string) => ({
      id,
      state: 'Running',
      health: { healthy: true, lastMessage: 'fine' },
    });
    const failed = { state: 'Failed', health: { healthy: false, lastMessage: 'no space left on device' } };
    const services = [
      running('apid'),
      { id: 'kubelet', ...(isUnwell ? failed : { state: 'Running', health: { healthy: true } }) },
      { id: 'quiet', state: 'Running', health: { unknown: true } },
    ];
    reply(call, ServiceListResponse, { messages: [{ services }] });
  };

const batchesPerSecond = 10;

function logs(linesPerSecond: number): FakeHandler {
  return async (call) => {
    call.begin();
    const begunMs = Date.now();
    for (let line = 0; !call.signal.aborted; await sleep(1000 / batchesPerSecond)) {
      const lines: string[] = [];
      // A late batch is larger.
      for (const due = ((Date.now() - begunMs) / 1000) * linesPerSecond; line < due; ) {
        line += 1;
        const [time, level] = [new Date().toISOString(), line % 50 === 0 ? 'warn' : 'info'];
        const fields = {
          level,
          time,
          msg: 'request finished',
          line,
          method: '/machine.MachineService/Version',
        };
        lines.push(`${JSON.stringify({ ...fields, durationMs: line % 17, peer: '127.0.0.1:40000' })}\n`);
      }
      call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(lines.join('')) })).finish());
    }
  };
}

/** Nodes that a test kills, as the gateway reports them. */
class MortalNodes {
  readonly #dead = new Set<string>();
  readonly #open = new Set<FakeCall>();

  readonly kill = (node: string): void => {
    this.#dead.add(node);
    for (const call of this.#open) if (call.node === node) refuse(call);
  };

  readonly revive = (node: string): void => void this.#dead.delete(node);

  handlers(of: Readonly<Record<string, FakeHandler>>): Readonly<Record<string, FakeHandler>> {
    const guarded = Object.entries(of).map(([path, handler]): [string, FakeHandler] => [
      path,
      (call) => {
        if (this.#dead.has(call.node ?? '')) return refuse(call);
        for (const each of this.#open) if (each.signal.aborted) this.#open.delete(each);
        this.#open.add(call);
        return handler(call);
      },
    ]);
    return Object.fromEntries(guarded);
  }
}

const refuse = (call: FakeCall) => call.fail(14, `no route to node "${call.node}": connection refused`);

export async function openManyNodes({
  count,
  linesPerSecond,
  unwell = [],
}: ManyNodesInit): Promise<ManyNodes> {
  await using scope = new AsyncDisposableStack();
  const names = Array.from({ length: count }, (_, at) => `node${String(at + 1).padStart(3, '0')}`);
  const kinds = [hostnameStatuses, machineStatuses, machineTypes, versions];
  const storeOf = async (type: 'controlplane' | 'worker') =>
    openNodeStore(kinds, [
      { ...pointerTo(machineTypes, machineTypes.singleton), spec: type },
      { ...pointerTo(versions, versions.singleton), spec: { name: 'Talos', version: 'v1.14.0' } },
      {
        ...pointerTo(machineStatuses, machineStatuses.singleton),
        spec: { stage: 'running', status: { ready: true, unmetConditions: [] } },
      },
    ]);
  const [controlPlane, worker] = await Promise.all([storeOf('controlplane'), storeOf('worker')]);
  const cluster = scope.use(await FakeCluster.create());
  const mortal = new MortalNodes();
  const gateway = await cluster.gateway(
    mortal.handlers({
      ...healthyCluster,
      ...stateHandlers(kinds, (node) => (Number(node?.slice(-3)) <= 3 ? controlPlane : worker)),
      '/machine.MachineService/LoadAvg': loadAvg,
      '/machine.MachineService/SystemStat': systemStat,
      '/machine.MachineService/ServiceList': serviceList(unwell),
      '/machine.MachineService/Logs': logs(linesPerSecond),
    }),
  );
  const path = await cluster.talosconfig({ endpoints: [gateway.address], nodes: names });
  const config = parseTalosconfig(await readFile(path, 'utf8'));
  const client = scope.use(openTalosClient({ context: config.contexts.get('test') }));
  const kept = scope.move();
  const { kill, revive } = mortal;
  return { client, kill, revive, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

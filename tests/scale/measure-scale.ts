import { setTimeout as sleep } from 'node:timers/promises';
import { metadataKeys, roles } from '@nodewright/contract';
import { readProcessCpuMs } from '../bench/measure/process-cpu.ts';
import { readProcessMemory } from '../bench/process-memory.ts';
import type { ApidUnderTest } from '../contract/apid/harness/apid-under-test.ts';
import { type CallResult, Client } from '../contract/apid/harness/client.ts';
import { type Curve, curveOf, type Sample } from './curve.ts';
import { timeTalosctl } from './run-talosctl.ts';
import { type StubNode, streamMethod, versionMethod } from './stub-nodes.ts';

/** How long apid rests before its memory is read, in milliseconds. */
const settleMs = 400;
/** How long apid rests after the first calls, so that it has freed what they left. */
const warmUpMs = 4000;
const steps = 10;
/** An identity with more connections gets none of the last ones that apid accepts. */
const connectionsPerIdentity = 4;
/** Handshakes at the same time. */
const together = 20;

export interface ScaleInit {
  readonly apid: ApidUnderTest;
  readonly nodes: readonly StubNode[];
  readonly connections: number;
  readonly streams: number;
  readonly scope: AsyncDisposableStack;
  progress(text: string): void;
}

export interface ScaleFigures {
  readonly curves: readonly Curve[];
  /** Connections of apid to each node: the most, after one caller and after all of them. */
  readonly connectionsPerNode: { readonly oneCaller: number; readonly allCallers: number };
  /** Calls to all nodes at once, one after the other, in milliseconds. */
  readonly fanOut: { readonly nodes: number; readonly p50: number; readonly max: number };
  /** `talosctl version` for all nodes, in milliseconds. */
  readonly talosctlMs: number;
}

/** Opens nodes, connections and streams in steps, and measures apid after each. Throws when a call fails. */
export async function measureScale(init: ScaleInit): Promise<ScaleFigures> {
  const { apid, nodes, scope, progress } = init;
  const first = await apid.client(roles.admin);
  // What the first calls compile and allocate belongs to no curve.
  for (let call = 0; call < 500; call += 1) expectOk(await first.call(versionMethod));
  await sleep(warmUpMs);

  const ofNodes = await measureSteps(init, 'nodes', nodes.length, async (from, to) => {
    for (const node of nodes.slice(from, to)) expectOk(await callNode(first, node));
  });
  const oneCaller = mostConnections(nodes);

  const durations: number[] = [];
  progress(`calls to ${nodes.length} nodes at once`);
  for (let call = 0; call < 20; call += 1) {
    const begun = performance.now();
    const metadata = nodes.map(({ name }): [string, string] => [metadataKeys.nodes, name]);
    expectOk(await first.call(versionMethod, { metadata }));
    durations.push(performance.now() - begun);
  }
  durations.sort((one, other) => one - other);
  const talosctlMs = await timeTalosctl(apid, nodes);

  const clients: Client[] = [];
  const ofConnections = await measureSteps(init, 'client connections', init.connections, async (from, to) => {
    for (let at = from; at < to; at += together) {
      const opened = Array.from({ length: Math.min(together, to - at) }, () => at);
      const tls = await Promise.all(
        Array.from({ length: Math.ceil(opened.length / connectionsPerIdentity) }, () =>
          apid.tls(roles.admin),
        ),
      );
      const more = await Promise.all(
        opened.map((_, index) => Client.connect(tls[Math.floor(index / connectionsPerIdentity)] ?? {})),
      );
      for (const client of more) clients.push(scope.use(client));
    }
  });

  const openStreams = async (from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      const [client, node] = [clients[at % clients.length], nodes[at % nodes.length]];
      if (client === undefined || node === undefined) throw new Error('there is no connection or no node');
      await openStream(client, node);
    }
  };
  // Callers that are active at the same time have several connections of apid to a node, up to the number of its lanes.
  const withConnections = await measureSteps(init, 'streams, with connections', init.streams, openStreams);
  const ofStreams = await measureSteps(init, 'further streams', init.streams, openStreams);
  return {
    curves: [ofConnections, ofNodes, withConnections, ofStreams],
    connectionsPerNode: { oneCaller, allCallers: mostConnections(nodes) },
    fanOut: {
      nodes: nodes.length,
      p50: durations[durations.length / 2] ?? Number.NaN,
      max: durations.at(-1) ?? Number.NaN,
    },
    talosctlMs,
  };
}

async function measureSteps(
  { apid, progress }: ScaleInit,
  of: string,
  total: number,
  open: (from: number, to: number) => Promise<void>,
): Promise<Curve> {
  const sample = async (count: number): Promise<Sample> => {
    await sleep(settleMs);
    const { pid } = apid.process;
    return { count, rss: readProcessMemory(pid).rss, cpuMs: readProcessCpuMs(pid) };
  };
  const samples = [await sample(0)];
  for (let step = 1; step <= steps; step += 1) {
    const [from, to] = [(total * (step - 1)) / steps, (total * step) / steps];
    progress(`${to} ${of}`);
    await open(from, to);
    samples.push(await sample(to));
  }
  return curveOf(of, samples);
}

/** Resolves when the node has answered with headers; the stream stays open. */
async function openStream(client: Client, { name }: StubNode): Promise<void> {
  const { headers, result } = client.open(streamMethod, { metadata: [[metadataKeys.node, name]] });
  const ended = result.then(({ message }) => {
    throw new Error(`a stream ended: ${message}`);
  });
  ended.catch(() => {});
  await Promise.race([headers, ended]);
}

function callNode(client: Client, { name }: StubNode): Promise<CallResult> {
  return client.call(versionMethod, { metadata: [[metadataKeys.node, name]] });
}

function expectOk({ code, message }: CallResult): void {
  if (code !== 0) throw new Error(`a call failed: ${code} ${message}`);
}

function mostConnections(nodes: readonly StubNode[]): number {
  return Math.max(...nodes.map(({ backend }) => backend.sessions.size));
}

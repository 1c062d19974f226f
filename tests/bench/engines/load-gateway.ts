import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { readProcessCpuMs } from '../measure/process-cpu.ts';

const path = '/machine.MachineService/Version';

/** A gateway under test. */
export interface Gateway {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly isPlain: boolean;
  /** Collects garbage as an idle daemon does; missing where it is not a daemon of ours. */
  collect?(): Promise<void>;
}

export interface Load {
  readonly connections: number;
  readonly streamsPerConnection: number;
  /** How long it lasts, in seconds, or of how many requests it consists. */
  readonly length: { readonly seconds: number } | { readonly requests: number };
  /** A file with the body of each request. */
  readonly body: string;
  /** Values of the metadata key `nodes`. */
  readonly nodes?: readonly string[];
  /** A file for the latencies; if given, the figures have their percentiles. */
  readonly log?: string;
}

export interface LoadFigures {
  readonly requestsPerSecond: number;
  /** Processor time of the gateway per request, in microseconds. */
  readonly cpuUs: number;
  /** Latency in milliseconds; 0 if it was not recorded. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Loads a gateway with h2load. Rejects when a request fails. */
export async function loadGateway(gateway: Gateway, load: Load): Promise<LoadFigures> {
  const { connections, streamsPerConnection, length, body, nodes = [], log } = load;
  // h2load appends to it.
  if (log !== undefined) rmSync(log, { force: true });
  const startedAt = performance.now();
  const before = readProcessCpuMs(gateway.pid);
  const child = spawn('h2load', [
    ...('seconds' in length ? ['-D', String(length.seconds)] : ['-n', String(length.requests)]),
    ...['-c', String(connections), '-m', String(streamsPerConnection), '-t1', '-d', body],
    ...['-H', 'content-type: application/grpc', '-H', 'te: trailers'],
    ...nodes.flatMap((node) => ['-H', `nodes: ${node}`]),
    ...(log === undefined ? [] : [`--log-file=${log}`]),
    `${gateway.isPlain ? 'http' : 'https'}://127.0.0.1:${gateway.port}${path}`,
  ]);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  await once(child, 'close');
  const usedMs = readProcessCpuMs(gateway.pid) - before;
  const elapsedMs = performance.now() - startedAt;
  const [, done = '0', succeeded = '-'] = /(\d+) done, (\d+) succeeded/.exec(text) ?? [];
  if (done !== succeeded) throw new Error(`requests to ${gateway.name} failed: ${text}`);
  const latencies = log === undefined ? [] : readLatencies(log);
  return {
    requestsPerSecond: (Number(done) * 1000) / elapsedMs,
    cpuUs: (usedMs * 1000) / Number(done),
    p50Ms: latencies[Math.floor(latencies.length / 2)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  };
}

/** The latencies in a log of h2load, sorted, in milliseconds: its third column has microseconds. */
function readLatencies(log: string): number[] {
  const lines = readFileSync(log, 'latin1').trim().split('\n');
  return lines.map((line) => Number(line.split('\t')[2]) / 1000).sort((left, right) => left - right);
}

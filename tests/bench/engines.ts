// Measures where the processor time of a request in a gateway goes, with h2load before it and a backend that
// answers like machined behind it: apid, apid without its request log, the frame engine alone, the same
// without TLS, node:http2, and nghttpx in the same place. `node tests/bench/engines.ts --help`; needs h2load
// and nghttpx on PATH. A gateway is TLS 1.3 in, a unix socket out.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePort } from './engines/find-free-port.ts';
import { type Gateway, type LoadFigures, loadGateway } from './engines/load-gateway.ts';
import { backendKinds, type CertificateFiles, gatewayKinds } from './engines/serve-engine.ts';
import { startProcess } from './engines/start-process.ts';
import { writeBenchFiles } from './engines/write-files.ts';
import { median } from './median.ts';

const usage = `usage: engines.ts [--seconds N | --requests N] [--repeats N] [--streams LIST] [--only LIST] [--backend KIND]
                  [--profile FOLDER] [--collect]

  --seconds N       length of each measurement (default 3)
  --requests N      length of each measurement in requests, instead: short turns are compared at the same speed of
                    the processor
  --repeats N       measurements of each point, in turns; the median counts (default 3)
  --streams LIST    open requests (default 1,16,64); above 16 on several connections
  --only LIST       of ${[...gatewayKinds, 'nghttpx'].join(', ')}
  --backend KIND    ${backendKinds.join(' or ')} (default ${backendKinds[0]}): as slow as machined and with its
                    headers, or as fast as possible, so that the gateway is the bottleneck
  --profile FOLDER  each gateway of ours leaves a CPU profile there
  --collect         each gateway of ours collects garbage before each measurement, as a daemon does that is idle
`;
const peer = 'nghttpx';
/** Until the runtime has compiled the code of a gateway for good; then before each point. */
const warmUpRequests = 30_000;
const warmUpSeconds = 1;
const streamsPerConnection = 16;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    requests: { type: 'string' },
    repeats: { type: 'string', default: '3' },
    streams: { type: 'string', default: '1,16,64' },
    only: { type: 'string', default: [...gatewayKinds, peer].join(',') },
    backend: { type: 'string', default: backendKinds[0] },
    profile: { type: 'string' },
    collect: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function startNghttpx(
  socket: string,
  files: CertificateFiles,
  scope: DisposableStack,
): Promise<Gateway> {
  const port = await findFreePort();
  const nghttpx = spawn('nghttpx', [
    ...[`-f127.0.0.1,${port}`, `-bunix:${socket};;proto=h2`, '--workers=1', '--no-ocsp', '--conf=/dev/null'],
    ...['--add-request-header=talos-role:os:admin', '--errorlog-file=/dev/null'],
    ...['--tls-min-proto-version=TLSv1.3', '--single-process', '--single-thread'],
    ...[files.key, files.certificate],
  ]);
  scope.defer(() => nghttpx.kill());
  await sleep(1000);
  return { name: peer, pid: nghttpx.pid as number, port, isPlain: false };
}

async function startGateways(
  names: readonly string[],
  socket: string,
  files: CertificateFiles,
  scope: DisposableStack,
): Promise<Gateway[]> {
  const gateways: Gateway[] = [];
  for (const name of names) {
    if (name === peer) gateways.push(await startNghttpx(socket, files, scope));
    else {
      const args = ['gateway', name, socket, files.certificate, files.key];
      const { pid, port, collect } = scope.use(await startProcess(args, values.profile));
      gateways.push({ name, pid, port, isPlain: name === 'frames-plain', collect });
    }
  }
  return gateways;
}

/** Measures the gateways in turns. Returns the figures of each. */
async function measurePoint(
  gateways: readonly Gateway[],
  streams: number,
  body: string,
): Promise<ReadonlyMap<string, readonly LoadFigures[]>> {
  const connections = Math.ceil(streams / streamsPerConnection);
  const length =
    values.requests === undefined
      ? { seconds: Number(values.seconds) }
      : { requests: Number(values.requests) };
  const load = { connections, streamsPerConnection: Math.ceil(streams / connections), body };
  const figures = new Map<string, LoadFigures[]>();
  for (const gateway of gateways) {
    await loadGateway(gateway, { ...load, length: { seconds: warmUpSeconds } });
    figures.set(gateway.name, []);
  }
  for (let repeat = 0; repeat < Number(values.repeats); repeat += 1) {
    for (const gateway of gateways) {
      if (values.collect) await gateway.collect?.();
      figures.get(gateway.name)?.push(await loadGateway(gateway, { ...load, length }));
    }
  }
  return figures;
}

function printPoint(streams: number, figures: ReadonlyMap<string, readonly LoadFigures[]>): void {
  const peers = figures.get(peer);
  for (const [name, runs] of figures) {
    const cpuUs = median(runs.map((run) => run.cpuUs));
    const rate = median(runs.map((run) => run.requestsPerSecond));
    const ratio =
      peers === undefined
        ? ''
        : `× ${median(runs.map((run, at) => run.cpuUs / (peers[at]?.cpuUs ?? 0))).toFixed(2)}`;
    process.stdout.write(
      `${name.padEnd(12)} ${String(streams).padStart(3)} streams ${rate.toFixed(0).padStart(7)} requests/s ${cpuUs.toFixed(1).padStart(7)} µs ${ratio}\n`,
    );
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'engines-'));
  using scope = new DisposableStack();
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const files = await writeBenchFiles(folder);
  const socket = join(folder, 'backend.sock');
  scope.use(await startProcess(['backends', values.backend, socket]));
  const gateways = await startGateways(values.only.split(','), socket, files, scope);
  const version = execFileSync('h2load', ['--version'], { encoding: 'utf8' }).trim();
  process.stdout.write(
    `${version}, ${values.repeats} times ${values.seconds} s per point; CPU time and its ratio to ${peer}\n`,
  );
  for (const gateway of gateways) {
    const load = { connections: 4, streamsPerConnection, body: files.body };
    await loadGateway(gateway, { ...load, length: { requests: warmUpRequests } });
  }
  for (const streams of values.streams.split(',').map(Number)) {
    printPoint(streams, await measurePoint(gateways, streams, files.body));
  }
}

if (values.help) process.stdout.write(usage);
else await main();

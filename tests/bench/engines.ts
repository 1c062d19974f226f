// Compares apid's data path, the engines of packages/h2 under a gateway without apid's decisions and log, and
// nghttpx in the same place: CPU time per request at 1, 16 and 64 streams. `node tests/bench/engines.ts
// [--seconds N] [--profile FOLDER]`; needs h2load and nghttpx on PATH. The gateway is TLS 1.3 in, a unix socket
// out. With `--profile` each of our gateways leaves a CPU profile.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStandardOutput } from '@nodewright/daemon';
import {
  BackendPool,
  dialUnix,
  frameEngine,
  GatewayServer,
  gatewayLimits,
  nodeEngine,
  Pump,
  poolTimeouts,
} from '@nodewright/h2';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { GatewayIdentity } from '../../services/apid/src/domain/gateway-identity.ts';
import { openGateway } from '../../services/apid/src/gateway/open-gateway.ts';
import { readProcessCpuMs } from './measure/process-cpu.ts';

const path = '/machine.MachineService/Version';
const answer = Buffer.alloc(64, 7);
answer.writeUIntBE(59, 0, 5);
const warmUpSeconds = 2;

/** Connections, and streams on each. */
const loads = [
  [1, 1],
  [1, 16],
  [4, 16],
] as const;

const engineOf = (name: string) => (name === 'frames' ? frameEngine : nodeEngine);

/** Answers every call with a constant. */
async function runBackend(socket: string): Promise<void> {
  const server = new GatewayServer<undefined>({
    engine: frameEngine,
    limits: gatewayLimits,
    credentials: undefined,
    admit: () => ({ admitted: true, peer: undefined }),
    onCall(call) {
      call.receive({
        requestData() {},
        requestEnded() {
          call.respond([':status', '200', 'content-type', 'application/grpc']);
          call.write(answer);
          call.finish(['grpc-status', '0']);
        },
        answerDrained() {},
        cancelled() {},
      });
      call.resume();
    },
    onRefused() {},
    onBroken() {},
  });
  await server.listen({ path: socket });
  process.send?.(0);
}

/** Forwards every call, with a field added as apid does. */
async function runGateway(
  name: string,
  socket: string,
  certificateFile: string,
  keyFile: string,
): Promise<void> {
  const certificate = readFileSync(certificateFile, 'utf8');
  const key = readFileSync(keyFile, 'utf8');
  const engine = engineOf(name);
  const pool = new BackendPool({
    engine,
    limits: gatewayLimits,
    ...poolTimeouts,
    now: () => performance.now(),
    random: Math.random,
  });
  const target = { key: 'backend', backoff: false, dial: (signal: AbortSignal) => dialUnix(socket, signal) };
  const server = new GatewayServer<undefined>({
    engine,
    limits: gatewayLimits,
    credentials: { certificate, key, requestClientCertificate: false, clientCas: [] },
    admit: () => ({ admitted: true, peer: undefined }),
    async onCall(call) {
      const pump = new Pump({
        inbound: call,
        maxMessageBytes: 1e6,
        describe: () => ({ code: 14, message: 'failed' }),
        onDone() {},
      });
      const acquired = pool.acquire(target);
      const connection = acquired instanceof Promise ? await acquired : acquired;
      pump.start(connection, [...call.headers, 'talos-role', 'os:admin']);
    },
    onRefused() {},
    onBroken() {},
  });
  process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
}

/** The same with all that apid does: in maintenance, where clients need no certificate. */
async function runApid(socket: string, certificateFile: string, keyFile: string): Promise<void> {
  const certificate = readFileSync(certificateFile, 'utf8');
  const loopback = '127.0.0.1';
  const identity: GatewayIdentity = {
    listen: { host: loopback, port: 0 },
    nodeRoutingDisabled: true,
    readonlyRoleMode: true,
    skipVerifyingClientCert: true,
    server: { certificate, key: readFileSync(keyFile, 'utf8') },
    client: undefined,
    acceptedCas: [certificate],
    hostname: 'bench',
    localTargets: new Set(),
    members: new Map(),
    sharedNames: new Map(),
  };
  const output = openStandardOutput('apid');
  const destination = {
    write(line: string) {
      output.write(line);
      const { msg, port } = line.includes('gateway listens') ? JSON.parse(line) : {};
      if (msg === 'gateway listens') process.send?.(port);
    },
  };
  const { follow } = openGateway(
    {
      engine: frameEngine,
      telemetry: noTelemetry,
      log: createLogger({ name: 'apid', telemetry: noTelemetry, destination }),
      dialMachined: (signal) => dialUnix(socket, signal),
      dialNode: () => Promise.reject(new Error('there is no other node')),
      onListening() {},
      drainTimeoutMs: 1000,
    },
    new AsyncDisposableStack(),
  );
  await follow(identity);
}

async function startSelf(...args: string[]): Promise<{ pid: number; port: number; kill(): void }> {
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  const child = fork(import.meta.filename, args, {
    execArgv: profile,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  const [port] = (await once(child, 'message')) as [number];
  return { pid: child.pid as number, port, kill: () => child.kill() };
}

/** Requests per second, and the processor time of the gateway per request in microseconds. */
async function measure(
  pid: number,
  port: number,
  [connections, streams]: readonly [number, number],
  seconds: number,
  body: string,
) {
  const load = (duration: number) => {
    const args = [
      '-D',
      String(duration),
      '-c',
      String(connections),
      '-m',
      String(streams),
      '-t1',
      '-d',
      body,
    ];
    const fields = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
    const child = spawn('h2load', [...args, ...fields, `https://127.0.0.1:${port}${path}`]);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    return once(child, 'close').then(() => text);
  };
  await load(warmUpSeconds);
  const before = readProcessCpuMs(pid);
  const text = await load(seconds);
  const used = readProcessCpuMs(pid) - before;
  const [, done = '0', succeeded = '0'] = /(\d+) done, (\d+) succeeded/.exec(text) ?? [];
  if (done !== succeeded) throw new Error(`requests failed: ${text}`);
  return { requestsPerSecond: Number(done) / seconds, cpuUs: (used * 1000) / Number(done) };
}

async function main(seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'engines-'));
  using scope = new DisposableStack();
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const notBefore = new Date(Date.now() - 3_600_000);
  const issuer = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'bench',
    notBefore,
  });
  const { certificate, key } = await issueCertificate({
    issuer,
    subject: { commonName: 'bench' },
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore,
    lifetimeHours: 24,
  });
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const body = write('body', Buffer.alloc(5));
  const certificateFile = write('certificate', certificate);
  const keyFile = write('key', tlsPrivateKey(key));
  const socket = join(folder, 'backend.sock');
  const backend = await startSelf('backend', socket);
  scope.defer(() => backend.kill());
  const gateways: { name: string; pid: number; port: number }[] = [];
  for (const name of ['apid', 'frames', 'node']) {
    const gateway = await startSelf('gateway', name, socket, certificateFile, keyFile);
    scope.defer(() => gateway.kill());
    gateways.push({ name, ...gateway });
  }
  const port = 20_000 + (process.pid % 20_000);
  const nghttpx = spawn('nghttpx', [
    ...[`-f127.0.0.1,${port}`, `-bunix:${socket};;proto=h2`, '--workers=1', '--no-ocsp', '--conf=/dev/null'],
    ...[
      '--add-request-header=talos-role:os:admin',
      '--errorlog-file=/dev/null',
      '--tls-min-proto-version=TLSv1.3',
    ],
    ...['--single-process', '--single-thread', keyFile, certificateFile],
  ]);
  scope.defer(() => nghttpx.kill());
  await sleep(1000);
  gateways.push({ name: 'nghttpx', pid: nghttpx.pid as number, port });
  const version = execFileSync('h2load', ['--version'], { encoding: 'utf8' }).trim();
  process.stdout.write(`${version}, ${seconds} s per point\n`);
  for (const load of loads) {
    for (const gateway of gateways) {
      const { requestsPerSecond, cpuUs } = await measure(gateway.pid, gateway.port, load, seconds, body);
      const streams = `${load[0] * load[1]} streams`.padEnd(11);
      process.stdout.write(
        `${gateway.name.padEnd(8)} ${streams} ${requestsPerSecond.toFixed(0).padStart(7)} requests/s ${cpuUs.toFixed(1).padStart(7)} µs\n`,
      );
    }
  }
}

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '4' }, profile: { type: 'string' } },
  allowPositionals: true,
});
const [role, ...rest] = positionals as [string | undefined, string, string, string, string];
// A profile is written when the process ends by itself.
if (role !== undefined) process.once('SIGTERM', () => process.exit());
if (role === 'backend') await runBackend(rest[0]);
else if (role === 'gateway' && rest[0] === 'apid') await runApid(rest[1], rest[2], rest[3]);
else if (role === 'gateway') await runGateway(...(rest as [string, string, string, string]));
else await main(Number(values.seconds));

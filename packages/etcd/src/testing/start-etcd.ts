import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findEtcd } from './find-etcd.ts';
import type { TestPki } from './test-pki.ts';

export interface TestMemberInit {
  readonly name: string;
  readonly pki: TestPki;
  /** The loopback address of the member. Default: a random one. */
  readonly address?: string;
  /** A list of `name=peerURL`. Default: only this member. */
  readonly initialCluster?: string;
  readonly initialState?: 'new' | 'existing';
  /** More arguments, which override the others. */
  readonly args?: readonly string[];
}

/** A real etcd process with its own folder. Disposing of it stops it and removes the folder. */
export interface TestMember extends AsyncDisposable {
  readonly name: string;
  readonly address: string;
  /** The client endpoint as `host:port`. */
  readonly endpoint: string;
  readonly peerUrl: string;
  readonly dataFolder: string;
  readonly pid: number;
  /** The end of its output so far, standard output and standard error. */
  output(): string;
  /** Starts the process again after `stop()`, with its existing data. */
  start(): void;
  /** Stops the process and waits until it has exited. Its data are kept. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Stops all threads with SIGSTOP. Resolves when all of them have stopped. */
  freeze(): Promise<void>;
  /** Continues the process after `freeze()`. */
  thaw(): void;
}

/** A random loopback address, so that tests do not collide. */
export function randomLoopback(): string {
  return `127.${randomInt(64, 128)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

export function peerUrlOf(address: string): string {
  return `https://${address}:2380`;
}

/** Starts a member without waiting until it answers, because a member of three answers only when two run. */
export async function startEtcd(init: TestMemberInit): Promise<TestMember> {
  const programs = findEtcd();
  if (programs === undefined) throw new Error('a real etcd is missing: make etcd');
  const { name, address = randomLoopback() } = init;
  const folder = await mkdtemp(join(tmpdir(), `etcd-${name}-`));
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder, { mode: 0o700 });
  const args = [...(await argumentsOf(init, address, folder)), ...(init.args ?? [])];
  let output = '';
  let child: ChildProcess | undefined;
  const start = () => {
    child = spawn(programs.etcd, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-200_000);
      });
  };
  const freeze = async () => {
    child?.kill('SIGSTOP');
    // A thread that runs on another processor stops a moment later.
    while (child?.pid !== undefined && !(await isStopped(child.pid))) await pause(1);
  };
  const thaw = () => void child?.kill('SIGCONT');
  const stop = async (name: NodeJS.Signals = 'SIGTERM') => {
    const process = child;
    child = undefined;
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const closed = once(process, 'close');
    process.kill('SIGCONT');
    process.kill(name);
    // etcd waits long for open connections when it ends.
    const timer = setTimeout(() => process.kill('SIGKILL'), 10_000);
    await closed;
    clearTimeout(timer);
  };
  start();
  return {
    name,
    address,
    endpoint: `${address}:2379`,
    peerUrl: peerUrlOf(address),
    dataFolder,
    get pid() {
      return child?.pid ?? -1;
    },
    output: () => output,
    start,
    stop,
    freeze,
    thaw,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether every thread is stopped. Rejects when the process does not exist. */
async function isStopped(pid: number): Promise<boolean> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder);
  const states = await Promise.all(
    threads.map(async (thread) => {
      const stat = await readFile(join(folder, thread, 'stat'), 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2)[0];
    }),
  );
  return states.every((state) => state === 'T');
}

async function argumentsOf(init: TestMemberInit, address: string, folder: string): Promise<string[]> {
  const { name, pki, initialCluster = `${name}=${peerUrlOf(address)}`, initialState = 'new' } = init;
  const [server, peer] = await Promise.all([pki.server(address), pki.peer(address)]);
  const write = async (file: string, text: string) => {
    await writeFile(join(folder, file), text, { mode: 0o600 });
    return join(folder, file);
  };
  const ca = await write('ca.crt', pki.ca.certificate);
  const clientUrl = `https://${address}:2379`;
  const options = {
    name,
    'data-dir': join(folder, 'data'),
    'listen-peer-urls': peerUrlOf(address),
    'listen-client-urls': clientUrl,
    'initial-advertise-peer-urls': peerUrlOf(address),
    'advertise-client-urls': clientUrl,
    'initial-cluster': initialCluster,
    'initial-cluster-state': initialState,
    'client-cert-auth': 'true',
    'peer-client-cert-auth': 'true',
    'cert-file': await write('server.crt', server.certificate),
    'key-file': await write('server.key', server.key),
    'trusted-ca-file': ca,
    'peer-cert-file': await write('peer.crt', peer.certificate),
    'peer-key-file': await write('peer.key', peer.key),
    'peer-trusted-ca-file': ca,
    // Short timeouts, so that elections in a test do not take seconds.
    'heartbeat-interval': '50',
    'election-timeout': '500',
    'watch-progress-notify-interval': '1s',
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
  };
  return Object.entries(options).map(([flag, value]) => `--${flag}=${value}`);
}

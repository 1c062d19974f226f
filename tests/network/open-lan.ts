// A bridge in a network namespace of the test, with dnsmasq, and machines in namespaces of their own. Nothing of it is in the host's
// network.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@nodewright/testkit';
import type { MachineInit } from './machine-order.ts';

const hasBridge = () =>
  spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'lan0', 'type', 'bridge']).status === 0;
const hasDnsmasq = () => spawnSync('dnsmasq', ['--version']).status === 0;

/** Why this machine cannot have such a network; false when it can. */
export const reasonToSkip = !hasBridge()
  ? 'network namespaces with a bridge need root, unshare and ip (iproute2)'
  : !hasDnsmasq()
    ? 'the DHCP server of this test is dnsmasq (Debian: dnsmasq-base)'
    : false;

/** A program that runs, with what it has written. */
export interface Running {
  readonly child: ChildProcess;
  text(): string;
}

export interface Lan {
  /** Runs `ip` beside the bridge, whose link is lan0. */
  ip(...words: string[]): string;
  /** Starts a server that gives these addresses to the lan, with further options of dnsmasq. */
  serve(name: string, range: string, ...options: string[]): Promise<Running>;
  /** Starts a program of this folder beside the bridge. */
  startProgram(program: string, env: NodeJS.ProcessEnv): Running;
  /** Starts a program beside the bridge, with a channel for messages of Node.js. */
  run(command: readonly string[]): ChildProcess;
  /** A machine with the link eth0 of this hardware address. */
  addMachine(name: string, hardware: string): Promise<LanMachine>;
}

export interface LanMachine {
  /** Of a process in its network namespace. */
  readonly pid: number;
  /** The other end of its cable, beside the bridge. */
  readonly port: string;
  /** The folder that stands for `/`. */
  readonly root: string;
  /** Its hardware address. */
  readonly hardware: string;
  ip(...words: string[]): string;
  /** Runs a program in its network namespace. */
  run(program: string, ...words: string[]): string;
  /** The IPv4 addresses of eth0, such as `10.99.0.50/24`. */
  addresses(): string[];
  /** The global IPv6 addresses of eth0, such as `fd99::1ff/128`. */
  inet6Addresses(): string[];
  /**
   * Starts the code of machined, which answers messages (`MachineOrder`). What a machine keeps is the same at each start.
   *
   * @param commandLine of its kernel
   * @param configuration documents of the machine's configuration; none by default
   */
  start(commandLine?: string, configuration?: string): Running;
  /** Starts a program of this folder in its network namespace. */
  startProgram(program: string, env: NodeJS.ProcessEnv): Running;
}

const runIn = (pid: number, words: readonly string[]) =>
  execFileSync('nsenter', [`--net=/proc/${pid}/ns/net`, ...words], { encoding: 'utf8' });
const ipIn = (pid: number, words: readonly string[]) => runIn(pid, ['ip', ...words]);

/** Everything of it ends with `scope`. */
export async function openLan(scope: AsyncDisposableStack): Promise<Lan> {
  const folder = scope.adopt(mkdtempSync(join(tmpdir(), 'lan-')), (path) =>
    rmSync(path, { recursive: true }),
  );
  const openNamespace = async () => {
    const child = scope.adopt(spawn('unshare', ['--net', 'sleep', '600']), (of) => end(of));
    const pid = child.pid ?? 0;
    const isOwn = () => readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
    await eventually(isOwn, { what: 'a network namespace' });
    return pid;
  };
  const startIn = (pid: number, command: readonly string[], env: NodeJS.ProcessEnv = {}): Running => {
    const chunks: string[] = [];
    const words = [`--net=/proc/${pid}/ns/net`, ...command];
    const child = scope.adopt(
      spawn('nsenter', words, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe', ...(command[0] === process.execPath ? ['ipc' as const] : [])],
      }),
      (of) => end(of),
    );
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data) => chunks.push(String(data)));
    return { child, text: () => chunks.join('') };
  };
  const lan = await openNamespace();
  const ip = (...words: string[]) => ipIn(lan, words);
  ip('link', 'add', 'lan0', 'type', 'bridge');
  ip('addr', 'add', '10.99.0.1/24', 'dev', 'lan0');
  ip('link', 'set', 'lan0', 'up');
  let ports = 0;
  const startProgramIn = (pid: number, program: string, env: NodeJS.ProcessEnv) =>
    startIn(pid, [process.execPath, join(import.meta.dirname, program)], env);
  return {
    ip,
    startProgram: (program, env) => startProgramIn(lan, program, env),
    run: (command) => startIn(lan, command).child,
    async serve(name, range, ...options) {
      const running = startIn(lan, [
        ...['dnsmasq', '--no-daemon', '--conf-file=/dev/null', '--interface=lan0', '--bind-interfaces'],
        ...['--port=0', '--user=root', '--no-ping', '--log-facility=-', '--dhcp-authoritative'],
        ...[`--dhcp-leasefile=${join(folder, `${name}.leases`)}`, `--dhcp-range=${range}`, ...options],
      ]);
      await eventually(() => running.text().includes('sockets bound exclusively to interface lan0'), {
        ...{ what: 'dnsmasq', explain: running.text },
      });
      return running;
    },
    async addMachine(name, hardware) {
      const pid = await openNamespace();
      ports += 1;
      const port = `port${ports}`;
      ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
      ip('link', 'set', port, 'master', 'lan0', 'up');
      ipIn(pid, ['link', 'set', 'eth0', 'address', hardware]);
      const root = join(folder, name);
      return {
        ...{ pid, port, hardware, root },
        ip: (...words) => ipIn(pid, words),
        run: (program, ...words) => runIn(pid, [program, ...words]),
        addresses: () =>
          [...ipIn(pid, ['-4', '-o', 'addr', 'show', 'dev', 'eth0']).matchAll(/inet (\S+)/g)].map(
            ([, address = '']) => address,
          ),
        inet6Addresses: () =>
          [
            ...ipIn(pid, ['-6', '-o', 'addr', 'show', 'dev', 'eth0', 'scope', 'global']).matchAll(
              /inet6 (\S+)/g,
            ),
          ].map(([, address = '']) => address),
        start(commandLine = 'quiet ip=eth0:dhcp', configuration = '') {
          const init: MachineInit = { commandLine, root, configuration };
          return startProgramIn(pid, 'machine.ts', { MACHINE: JSON.stringify(init) });
        },
        startProgram: (program, env) => startProgramIn(pid, program, env),
      };
    },
  };
}

/** Ends a process, and waits until it has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill(signal);
  await promise;
}

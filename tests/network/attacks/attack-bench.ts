// What an attack needs: a network of its own, a machine on it that a second client uses, and hosts that send what they like.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTimers } from '@nodewright/async';
import {
  type DhcpMessage,
  decodeMessage,
  dhcpPorts,
  encodeBroadcast,
  encodeMessage,
  etherTypes,
} from '@nodewright/dhcp';
import type { TestServer } from '@nodewright/dhcp/testing';
import { loadNativeCalls, openFrameSocket, readLinks } from '@nodewright/linux';
import { openNamespaceOf } from '@nodewright/linux/testing';
import { eventually } from '@nodewright/testkit';
import { type MachineReport, servedPort } from '../machine-order.ts';
import { end, type Lan, type LanMachine, openLan, type Running } from '../open-lan.ts';

/** What the other client measured since its last report. */
export interface ClientReport {
  readonly calls: number;
  readonly answered: number;
  readonly failed: number;
  readonly failures: readonly string[];
  readonly p99Ms: number;
}

/** The machine's address for the other client, and the hardware address of the link that is attacked. */
export const managed = '10.98.0.2';
export const machineHardware = '02:00:00:00:00:21';

/** The machine under attack. Its link eth0 is on the attacked network, mgmt0 leads to the other client. */
export interface AttackedMachine extends LanMachine {
  readonly running: Running;
  /** Makes a text its configuration, unless it is refused. */
  configure(text: string): Promise<MachineReport>;
  /** Processor time that its process has used. */
  cpuMs(): number;
  /** What it has published. */
  report(): Promise<MachineReport>;
}

export interface MachineChoice {
  /** Words of its kernel's command line after those for mgmt0. */
  readonly words?: string;
  /** Of its link on the attacked network, 1500 by default. */
  readonly mtu?: number;
}

/** A host on the attacked network. */
export interface Host extends LanMachine {
  /** Broadcasts a datagram from a server's port to that of clients. */
  send(payload: Uint8Array): void;
}

/** Called with each message of a client; what it returns is sent. */
export type Answerer = (message: DhcpMessage, host: Host) => Uint8Array | undefined;

export interface AttackBench {
  readonly lan: Lan;
  /** A short form of the attack is wanted. */
  readonly isShort: boolean;
  /** Starts the machine, once. Resolves when the other client reaches it. */
  openMachine(choice?: MachineChoice): Promise<AttackedMachine>;
  /** @param address the host's own, such as `10.99.0.66` */
  openHost(name: string, address: string, answer?: Answerer): Promise<Host>;
}

/** The figures of the machine during an attack. */
export interface MachineFigures {
  readonly client: ClientReport;
  /** The highest memory of its process. */
  readonly peakMb: number;
  /** How much more memory it had than before the attack. */
  readonly grownMb: number;
  /** Lines of its log. */
  readonly lines: number;
  /** What every machine has to hold, and this one did not. */
  readonly problems: readonly string[];
}

const timeoutMs = 60_000;
const mostLines = 120;

const memoryMb = (pid: number | undefined, field: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Ticks of 10 ms, of the process and its system calls. Source: proc(5). */
function cpuMsOf(pid: number | undefined): number {
  const [, , , , , , , , , , , user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
  return 10 * (user + system);
}

/** Answers as a server in memory does. */
export const answersOf =
  (server: TestServer): Answerer =>
  (message) => {
    const reply = server.answer(message);
    return reply && encodeMessage(reply);
  };

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Everything of it ends with `scope`. */
export async function openBench(
  scope: AsyncDisposableStack,
  { isShort, mostGrowthMb }: { readonly isShort: boolean; readonly mostGrowthMb: number },
): Promise<{ readonly bench: AttackBench; readonly figures: () => Promise<MachineFigures> }> {
  const lan = await openLan(scope);
  let machine: AttackedMachine | undefined;
  let client: ChildProcess | undefined;
  let levelMb = 0;
  let hosts = 0;

  async function ask<T>(child: ChildProcess, order: object): Promise<T> {
    const answer = once(child, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    child.send(order);
    const [report] = await answer;
    return report as T;
  }

  function setMtu({ ip, port }: LanMachine, mtu: number) {
    ip('link', 'set', 'eth0', 'mtu', String(mtu));
    lan.ip('link', 'set', port, 'mtu', String(mtu));
  }

  async function openMachine({
    words = 'ip=eth0:dhcp',
    mtu = 1500,
  }: MachineChoice = {}): Promise<AttackedMachine> {
    assert.equal(machine, undefined, 'an attack has one machine');
    const inLan = await lan.addMachine('machine', machineHardware);
    setMtu(inLan, mtu);
    lan.ip('link', 'add', 'mgmt', 'type', 'veth', 'peer', 'name', 'mgmt0', 'netns', String(inLan.pid));
    lan.ip('addr', 'add', '10.98.0.1/24', 'dev', 'mgmt');
    lan.ip('link', 'set', 'mgmt', 'up');
    const running = inLan.start(`quiet ip=${managed}:::255.255.255.0::mgmt0:off ${words}`);
    client = lan.run([process.execPath, join(import.meta.dirname, 'client.ts'), managed, String(servedPort)]);
    const other = client;
    await eventually(
      async () => {
        await pause(300);
        return (await ask<ClientReport>(other, {})).answered > 2;
      },
      { what: 'a machine that the other client reaches', timeoutMs, explain: running.text },
    );
    machine = {
      ...inLan,
      running,
      configure: (configuration) => ask(running.child, { configuration }),
      report: () => ask(running.child, {}),
      cpuMs: () => cpuMsOf(running.child.pid),
    };
    levelMb = memoryMb(running.child.pid, 'VmRSS');
    writeFileSync(`/proc/${running.child.pid}/clear_refs`, '5');
    return machine;
  }

  async function openHost(name: string, address: string, answer?: Answerer): Promise<Host> {
    hosts += 1;
    const hardware = `02:00:00:00:01:0${hosts}`;
    const inLan = await lan.addMachine(name, hardware);
    // A server may send more than the machine says that it takes.
    setMtu(inLan, 9000);
    inLan.ip('link', 'set', 'eth0', 'up');
    inLan.ip('addr', 'add', `${address}/24`, 'dev', 'eth0');
    const calls = await loadNativeCalls();
    using namespace = openNamespaceOf(inLan.pid);
    const socket = scope.use(
      namespace.run(() =>
        openFrameSocket(calls, {
          linkIndex: readLinks(calls).find((link) => link.name === 'eth0')?.index ?? assert.fail(),
          ...{ etherType: etherTypes.inet4, filter: [], longestBytes: 2048, timers: systemTimers },
          onFrame(frame) {
            if (frame.length < 300 || Buffer.from(frame).readUInt16BE(36) !== dhcpPorts.server) return;
            const reply = answer?.(decodeMessage(frame.subarray(42)), host);
            if (reply !== undefined) host.send(reply);
          },
          onError: (error) => assert.fail(String(error)),
        }),
      ),
    );
    const host: Host = {
      ...inLan,
      send: (payload) =>
        socket.send(
          encodeBroadcast({
            ...{ hardware, source: address, payload },
            ...{ sourcePort: dhcpPorts.server, destinationPort: dhcpPorts.client },
          }),
        ),
    };
    return host;
  }

  async function figures(): Promise<MachineFigures> {
    assert.ok(machine !== undefined && client !== undefined, 'the attack has started no machine');
    const { child, text } = machine.running;
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (!isRunning)
      return {
        ...{
          client: { calls: 0, answered: 0, failed: 0, failures: [], p99Ms: 0 },
          peakMb: 0,
          grownMb: 0,
          lines: 0,
        },
        problems: [`the machine has ended: ${text().slice(-1000)}`],
      };
    const report = await ask<ClientReport>(client, {});
    // A call that began during the attack may wait for a minute: what counts as well is whether the machine answers afterwards.
    const other = client;
    const answers = async () => {
      await pause(300);
      return (await ask<ClientReport>(other, {})).answered > 0;
    };
    await eventually(answers, { what: 'an answer after the attack', timeoutMs, explain: text });
    const peakMb = memoryMb(child.pid, 'VmHWM');
    const grownMb = memoryMb(child.pid, 'VmRSS') - levelMb;
    const lines = text().split('\n').length;
    return {
      ...{ client: report, peakMb, grownMb, lines },
      problems: [
        ...(report.answered > 0 ? [] : ['the other client got no answer']),
        ...(report.failed === 0
          ? []
          : [`${report.failed} calls of the other client failed: ${report.failures.join('; ')}`]),
        ...(grownMb <= mostGrowthMb
          ? []
          : [`the machine uses ${Math.round(grownMb)} MB more, at most ${mostGrowthMb} are allowed`]),
        ...(lines <= mostLines
          ? []
          : [`the machine wrote ${lines} lines, at most ${mostLines} are allowed: ${text().slice(-500)}`]),
        ...(/(?!\n)\p{Cc}/u.test(text()) ? ['the log has control characters'] : []),
      ],
    };
  }

  scope.defer(async () => {
    if (client !== undefined) await end(client);
  });
  return { bench: { lan, isShort, openMachine, openHost }, figures };
}

/** Numbers that look random, and are the same in each run. */
export function numbers(): (below: number) => number {
  let seed = 1;
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
}

/** Whether an error is one of a kernel that has no room for a frame just now. */
export function isFull(error: unknown): boolean {
  return ['ENOBUFS', 'EAGAIN'].includes((error as { code?: string }).code ?? '');
}

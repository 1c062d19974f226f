// The listener of a worker that waits for its certificate admits clients without one. They take no place of its administrator.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { startLoneNode } from '@nodewright/testkit';
import { findProcesses, readProcessMemory } from '../../bench/process-memory.ts';
import { issueCertificates } from '../target/issue-certificates.ts';
import { bundleOf } from '../target/open-target.ts';
import { Caller } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const version = '/machine.MachineService/Version';
/** Nothing listens there: the trustd of the control plane is cut off. */
const cutOff = '127.254.3.3';
const addresses = 150;
const connectionsPerAddress = 3;
/** An address of its own each time, so that the limits of the last run do not count. */
const network = () => `127.${randomInt(64, 128)}.${randomInt(1, 255)}`;
/** What docs/limits.md promises. */
const mostConnections = 64;
/** A call of a stranger ends after 5 s. On a busy machine apid comes late to it; without that limit it would never end. */
const mostCallMs = 30_000;
const administratorCalls = 20;
const allowedGrowthMb = 32;

export const strangers: AttackCheck = {
  name: 'strangers',
  what: `strangers of ${addresses} addresses open ${addresses * connectionsPerAddress} connections to a worker whose trustd is cut off, and end no call`,
  async run() {
    await using scope = new AsyncDisposableStack();
    const node = scope.use(await startLoneNode({ workerOf: cutOff, program: bundleOf('machined') }));
    const server = { host: node.address, port: ports.apid };
    const certificates = await issueCertificates(node.ca, new Date());
    const [apid] = findProcesses('apid.cjs', node.root);
    if (apid === undefined) throw new Error('apid of the worker does not run');
    const memory = () => readProcessMemory(apid.pid).rss;
    const before = memory();
    const problems: string[] = [];

    const prefix = network();
    const opened: Caller[] = [];
    const callMs: number[] = [];
    /** A call whose request never ends. */
    const hold = async (caller: Caller) => {
      const begunMs = performance.now();
      const fields = [
        ...[':method', 'POST', ':scheme', 'https', ':authority', 'node', ':path', version],
        ...['content-type', 'application/grpc', 'te', 'trailers'],
      ];
      const stream = caller.session.request(fields, { endStream: false });
      stream.on('error', () => {}).resume();
      const closed = new Promise((resolve) => stream.once('close', resolve));
      await Promise.race([closed, sleep(mostCallMs + 1000, undefined, { ref: false })]);
      callMs.push(performance.now() - begunMs);
    };
    const stranger = async (index: number) => {
      const localAddress = `${prefix}.${1 + (index % addresses)}`;
      const caller = await Caller.open({ ...server, ...{ localAddress } }, undefined).catch(() => undefined);
      if (caller === undefined) return;
      scope.use(caller);
      opened.push(caller);
      await hold(caller);
    };
    const isHere = ({ socket }: Caller) => !socket.destroyed && !socket.closed;
    const attack = Array.from({ length: addresses * connectionsPerAddress }, (_, index) => stranger(index));

    let answered = 0;
    let most = 0;
    let peak = before;
    for (let call = 0; call < administratorCalls; call += 1) {
      using owner = await Caller.open(server, certificates.admin).catch(() => undefined);
      const code = (await owner?.call({ path: '/machine.MachineService/Hostname' }))?.code;
      if (code === 0) answered += 1;
      most = Math.max(most, opened.filter(isHere).length);
      peak = Math.max(peak, memory());
      await sleep(250);
    }
    await Promise.all(attack);
    const slowest = Math.max(0, ...callMs);
    if (answered < administratorCalls)
      problems.push(`the administrator got ${answered} answers of ${administratorCalls}`);
    if (slowest > mostCallMs) problems.push(`a call of a stranger took ${Math.round(slowest)} ms`);
    if (peak > before + allowedGrowthMb)
      problems.push(`apid grew by ${Math.round(peak - before)} MB, ${allowedGrowthMb} are allowed`);
    return {
      summary: `${opened.length} handshakes, at most ${most} open at once; calls ended after ${Math.round(slowest)} ms; the administrator got ${answered} answers; apid grew by ${Math.round(peak - before)} MB`,
      problems: [...problems, ...(await tooMany(opened, isHere))],
    };
  },
};

/** Refused connections are closed a moment after their handshake. */
async function tooMany(opened: readonly Caller[], isHere: (caller: Caller) => boolean): Promise<string[]> {
  const here = () => opened.filter(isHere).length;
  for (let look = 0; look < 50 && here() > mostConnections; look += 1) await sleep(100);
  return here() > mostConnections
    ? [`${here()} strangers stay connected, ${mostConnections} are allowed`]
    : [];
}

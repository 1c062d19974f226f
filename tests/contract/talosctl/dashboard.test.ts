// talosctl dashboard, on an in-memory terminal, against nodes that lack many features.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import {
  EtcdMemberListResponse,
  EtcdStatusResponse,
  Event,
  LoadAvgResponse,
  LogsRequest,
  SystemStatResponse,
  TaskEvent,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { type MemoryState, pointerTo } from '@nodewright/state';
import { hostnameStatuses, machineStatuses, machineTypes, osRootSecrets } from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeHandler } from './fake-gateway.ts';
import { FakeTerminal } from './fake-terminal.ts';
import { healthyCluster, reply } from './replies.ts';
import { Talosctl, type TalosctlResult } from './run-talosctl.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

const kinds = [machineStatuses, machineTypes, hostnameStatuses, osRootSecrets];
const scope = new AsyncDisposableStack();
const stores = new Map<string, MemoryState>();
let talosctl: Talosctl;
let talosconfig: string;
const restarted: string[] = [];
const task = Buffer.from(TaskEvent.encode({ task: 'stopAllServices', action: 0 }).finish());
let isAway = false;
let ticks = 0;

const isReached =
  (handler: FakeHandler): FakeHandler =>
  (call) => {
    if (isAway && call.node === 'node02')
      return call.fail(14, 'no route to node "node02": ECONNREFUSED (via 10.9.9.9)');
    return handler(call);
  };

const handlers: Record<string, FakeHandler> = {
  ...healthyCluster,
  ...stateHandlers(kinds, (node = '') => {
    const store = stores.get(node);
    if (store === undefined) throw new Fault('permission-denied', 'not authorized');
    return store;
  }),
  '/machine.MachineService/LoadAvg': (call) =>
    reply(call, LoadAvgResponse, { messages: [{ load1: 1.25, load5: 0.5, load15: 0.25 }] }),
  '/machine.MachineService/SystemStat': (call) => {
    ticks += 10;
    const cpu = { user: ticks / 4, idle: (ticks * 3) / 4 };
    reply(call, SystemStatResponse, { messages: [{ bootTime: 1_786_000_000n, cpuTotal: cpu, cpu: [cpu] }] });
  },
  '/machine.MachineService/ServiceRestart': (call) => {
    restarted.push(call.node ?? '');
    healthyCluster['/machine.MachineService/ServiceRestart']?.(call);
  },
  // The request log of a node has the metadata of each call.
  '/machine.MachineService/Logs': (call) => {
    const { id } = LogsRequest.decode(call.request);
    if (id !== 'apid') return call.fail(5, `log "${id}" was not registered`);
    const session = String(call.metadata['nodewright-session']);
    const text = `first line\nabout myself ${session}\nlast, unfinished\n`;
    call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(text) })).finish());
  },
  '/machine.MachineService/Events': (call) => {
    call.send(Event.encode(Event.fromPartial({ id: '00000000000000000000' })).finish());
    const { typeUrl, value } = { typeUrl: 'talos/runtime/machine.TaskEvent', value: task };
    const id = `ckb0000000000000000${call.node === 'node01' ? 1 : 2}`;
    call.send(
      Event.encode({ metadata: undefined, id, actorId: 'actor-of-one', data: { typeUrl, value } }).finish(),
    );
  },
  '/machine.MachineService/EtcdMemberList': (call) => {
    const members = [1, 2].map((id) => ({
      ...{ id: BigInt(id), hostname: `cp-${id}`, clientUrls: [`https://10.9.9.${id}:2379`] },
    }));
    reply(call, EtcdMemberListResponse, { messages: [{ members }] });
  },
  '/machine.MachineService/EtcdStatus': (call) => {
    if (call.node === '10.9.9.2') return call.fail(14, 'no route to node');
    reply(call, EtcdStatusResponse, { messages: [{ memberStatus: { memberId: 1n, leader: 1n } }] });
  },
  '/machine.MachineService/Dmesg': (call) => {
    const text = `kern:    info: [2026-01-10T02:59:58.5Z]: \u001b[2Jhello from ${call.node}\n`;
    call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(text) })).finish());
  },
};

before(async () => {
  for (const node of ['node01', 'node02']) {
    stores.set(
      node,
      await openNodeStore(kinds, [
        { ...pointerTo(machineTypes, 'machine-type'), spec: 'controlplane' },
        { ...pointerTo(hostnameStatuses, 'hostname'), spec: { hostname: `host-of-${node}`, domainname: '' } },
        {
          ...pointerTo(osRootSecrets, 'os'),
          spec: { acceptedCAs: [], certSANIPs: [], certSANDNSNames: [], token: 'the-token' },
        },
      ]),
    );
  }
  talosctl = scope.use(await Talosctl.open());
  const cluster = scope.use(await FakeCluster.create());
  const reachable = Object.fromEntries(
    Object.entries(handlers).map(([path, handler]) => [path, isReached(handler)]),
  );
  const gateway = scope.use(await cluster.gateway(reachable));
  talosconfig = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01', 'node02'] });
});
after(() => scope.disposeAsync());

/** A running dashboard. */
function open(t: TestContext, terminal: FakeTerminal, environment: Record<string, string> = {}) {
  const stop = new AbortController();
  // Also when the test has failed: otherwise the dashboard would run forever.
  t.after(() => stop.abort());
  const ended = runCli(['dashboard', '-d', '200ms'], {
    stdout: terminal.output,
    stderr: { write() {} },
    stdin: terminal.input as unknown as NodeJS.ReadStream,
    environment: { TALOSCONFIG: talosconfig, ...environment },
    cwd: import.meta.dirname,
    now: () => new Date(),
    signal: stop.signal,
    isInteractive: true,
    telemetry: async () => noTelemetry,
  });
  const shows = (...patterns: readonly RegExp[]) =>
    eventually(() => patterns.every((pattern) => pattern.test(terminal.screen)), {
      what: `screen with ${patterns.join(', ')}`,
      explain: () => terminal.screen,
    });
  return { ended, shows, stop: () => stop.abort() };
}

test('dashboard shows what a node has, omits the rest, and restores the terminal', async (t) => {
  const terminal = new FakeTerminal();
  const { ended, shows } = open(t, terminal);
  await shows(/node01 host-of-node01 {2}controlplane/, /LOAD 1\.25 0\.50 0\.25/, /CPU █*░* 25% of 1/);
  await shows(/etcd +Failed +Fail/, /DNS +-/, /^02:59:58 info {3}hello from node01$/m);
  assert.deepEqual([terminal.isRaw, terminal.isAlternate], [true, true]);
  terminal.type('\u001bOQ');
  await shows(/── Processes ─.* by CPU ──/, /\/usr\/bin\/node machined\.cjs/);
  terminal.type('q');
  assert.equal(await ended, 0);
  assert.deepEqual([terminal.isRaw, terminal.isAlternate], [false, false]);
});

test('dashboard shows an unreachable node with the hop, and its data when it is back', async (t) => {
  const terminal = new FakeTerminal();
  const { ended, shows, stop } = open(t, terminal);
  terminal.type('l');
  await shows(/host-of-node02/);
  isAway = true;
  await shows(
    /node02 is away for/,
    /no route to node "node02": connection refused/,
    /where: 10\.9\.9\.9/,
    /✖ node02/,
  );
  terminal.type('5');
  await shows(/✖ +node02 +away: no route to node/, /node01 +controlplane/);
  isAway = false;
  await shows(/node02 +controlplane/);
  terminal.type('1');
  await shows(/host-of-node02/);
  stop();
  assert.equal(await ended, 0);
  assert.equal(terminal.isAlternate, false);
});

test('dashboard shows live resources, without secrets and without kinds that the user may not read', async (t) => {
  const terminal = new FakeTerminal();
  const { ended, shows } = open(t, terminal);
  terminal.type('3');
  await shows(/OSRootSecret +secrets +secret/);
  terminal.type('/machinetyp\r\r');
  await shows(/MachineTypes\.config\.talos\.dev ─.* 1 ──/, /machine-type +1 +controlplane/);
  await stores.get('node01')?.create({ ...pointerTo(machineTypes, 'other'), spec: 'worker' });
  await shows(/ other +1 +worker/);
  terminal.type('\r');
  await shows(/ {5}type: MachineTypes\.config\.talos\.dev/, /^ spec: controlplane$/m);
  terminal.type('\u001b');
  await shows(/ID +VERSION/);
  terminal.type('\u001b');
  await shows(/Kinds of resources/);
  terminal.type('/osroot\r\r');
  await shows(/OSRootSecrets/, / os +1/);
  terminal.type('\r');
  await shows(/spec: # secret: talosctl get OSRootSecrets/);
  assert.equal(terminal.screen.includes('the-token'), false);
  terminal.type('\u0003');
  assert.equal(await ended, 0);
});

test('dashboard redraws after a resize, in terminals of any useful size', async (t) => {
  const terminal = new FakeTerminal(100, 30);
  const { ended, shows } = open(t, terminal, { NO_COLOR: '1' });
  await shows(/host-of-node01/);
  terminal.resize(20, 5);
  await shows(/^The terminal has 20…$/m);
  terminal.resize(40, 10);
  await shows(/ node01 +stage unknown/, /1 of 3 services are well, not: quiet/, /\? keys {2}q quit$/m);
  terminal.resize(80, 24);
  await shows(/host-of-node01/, /q quit$/m);
  terminal.type('q');
  await ended;
});

test('dashboard explains an action with the sentences of the command line, and does it once it is confirmed', async (t) => {
  const terminal = new FakeTerminal(120, 30);
  const { ended, shows } = open(t, terminal);
  await shows(/etcd +Failed +Fail/);
  terminal.type('ae');
  await shows(/Which service of node01 to restart/);
  terminal.type('\r');
  await shows(/node01 restarts its service apid/, /Continue\? \(y\/N\)/);
  terminal.type('n');
  await shows(/ 7 Etcd /);
  assert.deepEqual(restarted, []);
  terminal.type('ae\r');
  await shows(/Continue\? \(y\/N\)/);
  terminal.type('y');
  await shows(/node01 service apid restart: Service "apid" restarted/);
  assert.deepEqual(restarted, ['node01']);
  terminal.type('q');
  assert.equal(await ended, 0);
});

test('dashboard merges the logs of services, and hides the lines about its own requests', async (t) => {
  const terminal = new FakeTerminal(120, 30);
  const { ended, shows } = open(t, terminal);
  await shows(/etcd +Failed +Fail/);
  terminal.type('4[');
  await shows(
    /Logs of all services ─.* 1 own requests hidden/,
    /^apid {2}last, unfinished|^apid +first line$/m,
  );
  assert.doesNotMatch(terminal.screen, /about myself/);
  terminal.type('o');
  await shows(/about myself/);
  terminal.type('q');
  assert.equal(await ended, 0);
});

test('dashboard shows the events of all nodes, and the members of etcd', async (t) => {
  const terminal = new FakeTerminal(120, 30);
  const { ended, shows } = open(t, terminal);
  terminal.type('6');
  await shows(/Events of all nodes/, /node01 +Task +stopAllServices +actor-of +START/);
  terminal.type('7');
  await shows(/1 of 2 voters answer, 2 are needed: etcd has no quorum/, /cp-1 +0{15}1 +leader/, /cp-2 +away/);
  terminal.type('q');
  assert.equal(await ended, 0);
});

const run = (...words: string[]): Promise<TalosctlResult> =>
  talosctl.run(words, { environment: { TALOSCONFIG: talosconfig } });

test('dashboard says in one line that it needs a terminal', async () => {
  assert.deepEqual(await run('dashboard'), {
    stdout: '',
    stderr: 'error: the dashboard needs a terminal: without one, use -o json\n',
    exitCode: 1,
  });
  assert.match(
    (await run('dashboard', '-d', '10ms')).stderr,
    /option --update-interval must be 200ms or more/,
  );
  assert.match((await run('dashboard', '--once')).stderr, /^error: flag --once needs -o json/);
});

test('dashboard -o json --once prints one object with rates, for reachable and unreachable nodes', async () => {
  isAway = true;
  const { stdout, exitCode } = await run('dashboard', '-o', 'json', '--once', '-d', '200ms');
  isAway = false;
  assert.equal(exitCode, 0);
  assert.equal(stdout.split('\n').length, 2);
  const [first, second] = JSON.parse(stdout).nodes;
  assert.deepEqual(
    [first.node, first.hostname, first.type, first.cpu.total, first.load, first.disks, first.services.length],
    ['node01', 'host-of-node01', 'controlplane', 0.25, [1.25, 0.5, 0.25], [], 3],
  );
  assert.deepEqual([second.node, second.reachable, second.error.hop], ['node02', false, '10.9.9.9']);
});

test('dashboard -o json prints one line per interval until its reader closes the pipe', async () => {
  const child = talosctl.start(['dashboard', '-o', 'json', '-d', '200ms'], {
    environment: { TALOSCONFIG: talosconfig },
  });
  let lines = 0;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    lines += text.split('\n').length - 1;
    if (lines >= 3) child.stdout?.destroy();
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  assert.equal(code, 0);
});

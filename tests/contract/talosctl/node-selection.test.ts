// Which nodes a command uses when it names none, and its question before it destroys something.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import {
  EtcdMemberListResponse,
  EtcdStatusResponse,
  ResetRequest,
  ResetResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { BlockDeviceWipeResponse, DisksResponse } from '@nodewright/contract/gen/storage/storage.ts';
import { noTelemetry } from '@nodewright/telemetry';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeGateway, FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';

const scope = new AsyncDisposableStack();
const wiped: string[] = [];
/** The nodes that have a system disk of their own. */
const machines = new Set<string>();
/** What each node answers about etcd. */
const etcd = new Map<string, 'voter' | 'worker' | 'silent'>();
let cluster: FakeCluster;
let gateway: FakeGateway;

const onEtcd =
  (answer: FakeHandler): FakeHandler =>
  (call) => {
    const state = etcd.get(call.node ?? '') ?? 'worker';
    if (state === 'voter') return answer(call);
    if (state === 'silent') return call.fail(14, 'no route to node');
    return call.fail(9, 'this node has no etcd');
  };

const handlers: Record<string, FakeHandler> = {
  ...healthyCluster,
  '/machine.MachineService/EtcdMemberList': onEtcd((call) => {
    const members = [1n, 2n, 3n].map((id) => ({ id, hostname: `cp-${id}` }));
    reply(call, EtcdMemberListResponse, { messages: [{ members }] });
  }),
  '/machine.MachineService/EtcdStatus': onEtcd((call) => {
    const memberId = BigInt((call.node ?? '').slice(-1));
    reply(call, EtcdStatusResponse, { messages: [{ memberStatus: { memberId } }] });
  }),
  '/storage.StorageService/Disks': (call) => {
    const systemDisk = machines.has(call.node ?? '');
    reply(call, DisksResponse, { messages: [{ disks: [{ deviceName: '/dev/vda', systemDisk }] }] });
  },
  '/machine.MachineService/Reset': (call) => {
    ResetRequest.decode(call.request);
    wiped.push(call.node ?? 'the first endpoint');
    reply(call, ResetResponse, { messages: [{ actorId: 'actor' }] });
  },
  '/storage.StorageService/BlockDeviceWipe': (call) => {
    wiped.push(call.node ?? 'the first endpoint');
    reply(call, BlockDeviceWipeResponse, { messages: [{}] });
  },
};

before(async () => {
  cluster = scope.use(await FakeCluster.create());
  gateway = await cluster.gateway(handlers);
});
after(() => scope.disposeAsync());
beforeEach(() => {
  etcd.clear();
  machines.clear();
  wiped.length = 0;
  gateway.calls.length = 0;
});

interface RunInit {
  /** Nodes of the context. */
  readonly nodes?: readonly string[];
  /** The user's input; without it there is no terminal. */
  readonly typed?: string;
  readonly cluster?: string;
  /** Path of another talosconfig. */
  readonly talosconfig?: string;
}

async function run(words: readonly string[], { nodes = [], typed, ...init }: RunInit = {}) {
  const context = { endpoints: [gateway.address], nodes, ...(init.cluster && { cluster: init.cluster }) };
  const talosconfig = await cluster.talosconfig(context);
  const output = { stdout: '', stderr: '' };
  const stdin = new PassThrough();
  stdin.end(typed ?? '');
  const exitCode = await runCli(words, {
    stdout: { write: (text) => (output.stdout += text) },
    stderr: { write: (text) => (output.stderr += text) },
    stdin: stdin as unknown as NodeJS.ReadStream,
    environment: { TALOSCONFIG: init.talosconfig ?? talosconfig, HOME: cluster.folder },
    cwd: '/',
    now: () => new Date(),
    signal: new AbortController().signal,
    isInteractive: typed !== undefined,
    telemetry: async () => noTelemetry,
  });
  return { ...output, exitCode };
}

const destroying = [
  ['reset', '--yes'],
  ['wipe', 'disk', 'vdb', '--yes'],
  ['etcd', 'remove-member', '1', '--yes'],
  ['etcd', 'forfeit-leadership'],
];
const changing = [
  ['reboot'],
  ['shutdown'],
  ['restart', 'x'],
  ['bootstrap'],
  ['service', 'apid', 'stop'],
  ['service', 'apid', 'restart'],
  ['etcd', 'leave'],
  ['etcd', 'defrag'],
  ['etcd', 'alarm', 'disarm'],
  ['meta', 'write', '12', 'x'],
  ['meta', 'delete', '12'],
  ['image', 'pull', 'x'],
  ['image', 'remove', 'x'],
  ['patch', 'mc', '-p', '{}'],
  ['edit', 'mc'],
];

test('destructive commands take no node from the context or the endpoints, whatever other flags say', async () => {
  for (const words of destroying) {
    for (const nodes of [[], ['node01']]) {
      const { stderr, exitCode } = await run(words, { nodes });
      assert.equal(exitCode, 1, words.join(' '));
      assert.match(stderr, /wants its nodes named by flag --nodes/);
    }
  }
  assert.deepEqual(gateway.calls, []);
});

test('commands that change a node use no endpoint as node, and explain where nodes are given', async () => {
  for (const words of changing) {
    const { stderr, exitCode } = await run(words);
    assert.equal(exitCode, 1, words.join(' '));
    assert.match(stderr, /^error: .* changes nodes, and none is named: .*--nodes.*context "test"/);
  }
  assert.deepEqual(gateway.calls, []);
});

test('reading commands fall back to the first endpoint', async () => {
  for (const words of [['memory'], ['service'], ['service', 'apid', 'status']]) {
    assert.equal((await run(words)).exitCode, 0, words.join(' '));
  }
  assert.deepEqual(
    gateway.calls.map(({ node }) => node),
    [undefined, undefined, undefined],
  );
});

test('reset on a terminal asks for the name of the node', async () => {
  for (const [typed, expected] of [
    ['y\n', []],
    ['\n', []],
    ['node02\n', []],
    ['node01\n', ['node01']],
  ] as const) {
    wiped.length = 0;
    const { stderr } = await run(['reset', '-n', 'node01', '--wait=false'], { typed });
    assert.match(
      stderr,
      /^node01 leaves .*\nType "node01", the name of the node in cluster "[\w-]+", to continue: /,
    );
    assert.deepEqual(wiped, expected, typed);
  }
});

test('wipe disk asks for the names of nodes as reset does, and prints what is lost', async () => {
  const words = ['wipe', 'disk', 'vdb', 'vdc1'];
  const lines =
    /^node01 loses everything on vdb, vdc1 for good\n {2}node01 vdb: nothing known\n {2}node01 vdc1: nothing known\nType "node01", the name of the node in cluster "[\w-]+", to continue: /;
  for (const [typed, expected] of [
    ['y\n', []],
    ['node01\n', ['node01']],
  ] as const) {
    wiped.length = 0;
    assert.match((await run([...words, '-n', 'node01'], { typed })).stderr, lines);
    assert.deepEqual(wiped, expected, typed);
  }
  wiped.length = 0;
  const several = [...words, '-n', 'node01,node02', '--drop-partition', '--method', 'zeroes'];
  assert.equal(
    (await run(several, { typed: 'n\n', cluster: 'prod' })).stderr,
    '2 nodes: node01, node02\n  each loses everything on vdb, vdc1 and their entries in the partition table for good, overwritten with zeros\n' +
      ['node01', 'node02']
        .map((node) => `  ${node} vdb: nothing known\n  ${node} vdc1: nothing known\n`)
        .join('') +
      'Type "2 prod", the number of nodes and the name of their cluster, to continue: nothing was done\n',
  );
  // Without a terminal: one node is wiped, as by upstream's program, and several need the flag.
  assert.match((await run(several)).stderr, /wipe disk acts on 2 nodes .*: add flag --yes; see /);
  assert.deepEqual(wiped, []);
  assert.equal((await run([...words, '-n', 'node01'])).exitCode, 0);
  assert.equal((await run([...several, '--yes'])).exitCode, 0);
  assert.deepEqual([...wiped].sort(), ['node01', 'node01', 'node02']);
});

test('reset of a whole machine says that it cannot start from its disk again', async () => {
  machines.add('node01');
  const clears =
    /\n {2}node01 cannot start again from its disk \/dev\/vda, which is cleared \(--system-labels-to-wipe/;
  const typed = 'n\n';
  assert.match((await run(['reset', '-n', 'node01', '--wait=false'], { typed })).stderr, clears);
  for (const words of [
    ['reset', '-n', 'node02'],
    ['reset', '-n', 'node01', '--system-labels-to-wipe', 'STATE'],
    ['reset', '-n', 'node01', '--wipe-mode', 'user-disks'],
  ])
    assert.doesNotMatch((await run([...words, '--wait=false'], { typed })).stderr, /cannot start/);
  assert.deepEqual(wiped, []);
});

test('reset of several nodes asks for their number and the name of the cluster', async () => {
  for (const node of ['node01', 'node02', 'node03']) etcd.set(node, 'voter');
  etcd.set('node03', 'silent');
  const words = ['reset', '-n', 'node01,node02,node03', '--wait=false'];
  for (const typed of ['y\n', '3\n', 'lab\n', '2 lab\n', 'node01\n']) {
    const { stderr } = await run(words, { typed, cluster: 'lab' });
    assert.match(stderr, /node03 did not answer: counted as an etcd voter/);
    assert.match(stderr, /this takes away all 3 etcd voters/);
    assert.match(stderr, /nothing was done\n$/);
  }
  assert.deepEqual(wiped, []);
  assert.equal((await run(words, { typed: '3 lab\n', cluster: 'lab' })).exitCode, 0);
  assert.deepEqual([...wiped].sort(), ['node01', 'node02', 'node03']);
});

test('reset without a terminal requires --yes when an etcd vote ends, or may end', async () => {
  const words = ['reset', '-n', 'node01', '--wait=false', '-o', 'json'];
  for (const [state, why] of [
    ['voter', /this takes away 1 etcd voter, 2 of 3 remain.*: add flag --yes/],
    ['silent', /node01 did not answer: counted as an etcd voter.*: add flag --yes/],
  ] as const) {
    etcd.set('node01', state);
    const { stderr, exitCode } = await run(words);
    assert.equal(exitCode, 1);
    assert.match(stderr, why);
    assert.deepEqual(wiped, []);
  }
  etcd.set('node01', 'worker');
  const worker = await run(words);
  assert.deepEqual([worker.exitCode, JSON.parse(worker.stdout)], [0, [{ node: 'node01', actorId: 'actor' }]]);
  etcd.set('node01', 'voter');
  assert.equal((await run([...words, '--yes'])).exitCode, 0);
  assert.deepEqual(wiped, ['node01', 'node01']);
});

test('--dry-run prints the quorum, what stops and what would refuse it, and calls nothing that changes nodes', async () => {
  for (const node of ['node01', 'node02']) etcd.set(node, 'voter');
  const { stdout, stderr, exitCode } = await run(['reboot', '-n', 'node01,node02', '--dry-run']);
  assert.deepEqual([stderr, exitCode], ['', 0]);
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    '2 nodes: node01, node02',
    '  each reboots',
    '  this takes away 2 etcd voters, 1 of 3 remains, too few for etcd to work (it needs 2)',
    '  node01 stops apid',
    '  node02 stops apid',
    'nothing was done',
  ]);
  const reset = await run(['reset', '-n', 'node01', '--dry-run', '-o', 'json']);
  const { nodes, etcd: quorum, ...rest } = JSON.parse(reset.stdout);
  assert.deepEqual(nodes[0].etcd, 'voter');
  assert.deepEqual(
    [quorum.votersBefore, quorum.alive, quorum.needed, quorum.hasQuorum],
    [3, 2, 2, true],
    'the member leaves first',
  );
  assert.deepEqual([rest.action, rest.losesVote, rest.isRefused], ['reset', true, false]);
  assert.deepEqual(wiped, []);
  const changing = gateway.calls.filter(({ path }) => /Reboot|Reset|Shutdown/.test(path));
  assert.deepEqual(changing, []);
});

test('a TALOSCONFIG that names a missing file is an error, and no other file is used instead', async () => {
  const missing = join(cluster.folder, 'missing');
  for (const words of [['memory'], ['reboot', '-n', 'node01'], ['config', 'contexts'], ['cluster', 'stop']]) {
    const { stderr, exitCode } = await run(words, { talosconfig: missing });
    assert.equal(exitCode, 1, words.join(' '));
    assert.match(
      stderr,
      /^error: talosconfig \S+missing, which the variable TALOSCONFIG names, does not exist/,
    );
  }
  assert.deepEqual(gateway.calls, []);
  const { stderr, exitCode } = await run(['config', 'add', 'fresh'], { talosconfig: missing });
  assert.deepEqual([exitCode, existsSync(missing)], [0, true], stderr);
  assert.match(
    stderr,
    /^talosconfig \S+missing, which the variable TALOSCONFIG names, does not exist yet\n$/,
  );
});

// talosctl upgrade --all and its tasks: what they ask of control planes, what they print, and how they end.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
  AbortResponse,
  NodeRole,
  ResumeResponse,
  type Rollout,
  StartRequest,
  StartResponse,
  StatusResponse,
  WatchResponse,
} from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const image = 'registry.example/installer:v1.14.1';
const service = '/suite.upgrade.v1.RolloutService';
const rolloutOf = (change: Partial<Rollout>, ...states: string[]): Rollout => ({
  ...{ id: 'a'.repeat(32), action: `upgrade to ${image}@sha256:1`, maxUnavailable: 1, pauseAfter: 0 },
  ...{ phase: 'running', reason: '', waitsFor: '', isSettled: false, driver: '', startedMs: 0n },
  nodes: ['node01', 'node02'].map((name, index) => ({
    ...{ name, attempt: 1, state: states[index] ?? 'waiting', spentMs: 1500n, plan: '' },
    role: index === 0 ? NodeRole.NODE_ROLE_CONTROL_PLANE : NodeRole.NODE_ROLE_WORKER,
    reason: states[index] === 'failed' ? 'it went back' : '',
  })),
  ...change,
});

let calls: string[] = [];
let starts: StartRequest[] = [];
/** What the stream sends, and how it ends. */
let streams: { readonly rollouts: readonly Rollout[]; readonly end: (call: FakeCall) => void }[] = [];
let current: Rollout | undefined;
let refusal: string | undefined;
beforeEach(() => {
  [calls, starts, streams, current, refusal] = [[], [], [], undefined, undefined];
});
const done = (call: FakeCall) => call.end();

const handlers: Readonly<Record<string, FakeHandler>> = {
  ...healthyCluster,
  [`${service}/Start`](call) {
    const request = StartRequest.decode(call.request);
    calls.push(request.dryRun ? 'dry run' : 'start');
    starts.push(request);
    if (refusal !== undefined) return call.fail(9, refusal);
    const rollout = rolloutOf({});
    const preview = rollout.nodes.map(({ name, role }) => ({
      ...{ node: name, role, action: rollout.action, maxUnavailable: 1, pausesAfter: name === 'node01' },
      refusedBy: name === 'node02' ? 'node02 is not well (it is not ready)' : '',
    }));
    return reply(call, StartResponse, { rollout, preview: request.dryRun ? preview : [] });
  },
  [`${service}/Status`]: (call) => reply(call, StatusResponse, { rollout: current }),
  [`${service}/Watch`](call) {
    calls.push('watch');
    const next = streams.shift();
    call.begin();
    for (const rollout of next?.rollouts ?? []) call.send(WatchResponse.encode({ rollout }).finish());
    (next?.end ?? done)(call);
  },
  [`${service}/Resume`](call) {
    calls.push('resume');
    return reply(call, ResumeResponse, { rollout: rolloutOf({}, 'done') });
  },
  [`${service}/Abort`](call) {
    calls.push('abort');
    return reply(call, AbortResponse, {});
  },
};
const suite = openSuite(handlers);
const upgradeAll = (...words: string[]) => suite.run('upgrade', '--all', '-i', image, ...words);
const ended = rolloutOf(
  { phase: 'done', isSettled: true, driver: 'node01', startedMs: 1_700_000_000_000n },
  ...['done', 'done'],
);

test('a dry run shows what each node does and what refuses it, and begins nothing', async () => {
  const { stdout, stderr, exitCode } = await upgradeAll(
    '--dry-run',
    '--max-unavailable',
    '2',
    '--pause-after',
    '1',
  );
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(calls, ['dry run']);
  assert.deepEqual(
    stdout.split('\n').map((line) => line.split(/ {3,}/)),
    [
      ['NODE', 'ROLE', 'ACTION', 'MAX UNAVAILABLE', 'THEN', 'REFUSED BY'],
      ['node01', 'control-plane', `upgrade to ${image}@sha256:1`, '1', 'pause', ''],
      [
        'node02',
        'worker',
        `upgrade to ${image}@sha256:1`,
        '1',
        'go on',
        'node02 is not well (it is not ready)',
      ],
      [''],
    ],
  );
  assert.deepEqual(starts, [
    {
      ...{ image, allowDowngrade: false, withoutExtensions: false, dryRun: true },
      ...{ maxUnavailable: 2, pauseAfter: 1 },
    },
  ]);
  const { rollout, preview } = JSON.parse((await upgradeAll('--dry-run', '-o', 'json')).stdout);
  assert.deepEqual(
    [rollout.phase, preview[1].refusedBy],
    ['running', 'node02 is not well (it is not ready)'],
  );
});

test('it follows the roll-out to its end, over a control plane that goes away', async () => {
  streams = [
    { rollouts: [rolloutOf({ waitsFor: 'node01 is acting' }, 'acting')], end: (call) => call.drop() },
    { rollouts: [rolloutOf({}, 'done', 'acting'), ended], end: done },
  ];
  const { stdout, stderr, exitCode } = await upgradeAll('--yes');
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(calls, ['dry run', 'start', 'watch', 'watch']);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    `roll-out ${'a'.repeat(32)}: upgrade to ${image}@sha256:1`,
    ...['node01 has its turn', 'waits for: node01 is acting', 'node01 is done', 'node02 has its turn'],
    ...['node02 is done', 'the roll-out is done'],
  ]);
  assert.match(
    stdout,
    /^roll-out a{32} is done: upgrade to .*; began at 2023-11-14T22:13:20.000Z; driven by node01\nNODE.*\nnode01 +control-plane +done.*\nnode02 +worker +done/,
  );
});

test('a roll-out that stops fails the command, names the node, and says what to do', async () => {
  const stopped = rolloutOf({ phase: 'stopped', reason: 'node01: it went back', isSettled: true }, 'failed');
  streams = [{ rollouts: [stopped], end: done }];
  const { stdout, stderr, exitCode } = await upgradeAll('--yes', '-o', 'json');
  assert.equal(exitCode, 1);
  assert.equal(JSON.parse(stdout).nodes[0].reason, 'it went back');
  assert.match(stderr, /node01 has failed: it went back\n/);
  assert.match(
    stderr,
    /error: the roll-out is stopped: node01: it went back; no other node is touched: .*upgrade resume/,
  );
});

test('Ctrl-C says that the roll-out goes on, and how to look again', async () => {
  streams = [{ rollouts: [rolloutOf({}, 'acting')], end: () => {} }];
  const child = suite.talosctl.start(['upgrade', '--all', '-i', image, '--yes'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  child.stdin?.end();
  child.stderr?.on('data', (text) => {
    if (String(text).includes('node01 has its turn')) child.kill('SIGINT');
  });
  const { stderr, exitCode } = await finished(child);
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /cancelled: the roll-out goes on in the cluster: look at it again with "talosctl upgrade status --watch"/,
  );
});

test('without a terminal it asks for --yes, and flags of one node are refused', async () => {
  const asked = await upgradeAll();
  assert.match(asked.stderr, /upgrade --all acts on 2 nodes \(node01, node02\).*add flag --yes/);
  for (const flag of ['--no-reboot', '--stage', '--legacy', '--drain', '--drain-timeout=1s']) {
    const { exitCode, stderr } = await upgradeAll('--yes', flag);
    assert.equal(exitCode, 1);
    assert.match(stderr, / does not go with --all/, flag);
  }
  for (const words of [
    ['upgrade', '-n', 'node01', '-i', image, '--pause-after', '1'],
    ['upgrade', 'status', '--pause-after', '1'],
    ['upgrade', 'resume', '--watch'],
    ['upgrade', 'undo'],
    ['upgrade', '--all'],
  ]) {
    const { exitCode, stderr } = await suite.run(...words);
    assert.equal(exitCode, 1, words.join(' '));
    assert.match(stderr, /goes with|does not go|must be status|--image is required/, words.join(' '));
  }
  assert.ok(!calls.includes('start'));
});

test('a second roll-out is refused in the words of the node', async () => {
  refusal = 'another roll-out is running: end it with "talosctl upgrade abort"';
  const { stderr, exitCode } = await upgradeAll('--yes');
  assert.equal(exitCode, 1);
  assert.match(stderr, /another roll-out is running: end it with "talosctl upgrade abort"/);
});

test('status, status --watch, resume and abort', async () => {
  assert.equal((await suite.run('upgrade', 'status')).stdout, 'no roll-out has begun yet\n');
  current = rolloutOf(
    { phase: 'paused', reason: '1 of 2 nodes are done', isSettled: true, pauseAfter: 1 },
    'done',
  );
  const { stdout, stderr } = await suite.run('upgrade', 'status');
  assert.match(stdout, /is paused \(1 of 2 nodes are done\).*; pauses after 1\nNODE/);
  assert.match(stderr, /"talosctl upgrade resume" goes on/);
  assert.equal(JSON.parse((await suite.run('upgrade', 'status', '-o', 'json')).stdout).phase, 'paused');
  streams = [{ rollouts: [rolloutOf({}, 'done', 'acting'), ended], end: done }];
  const items = (await suite.run('upgrade', 'status', '--watch', '-o', 'json')).stdout.trimEnd().split('\n');
  assert.deepEqual(
    items.map((item) => JSON.parse(item).phase),
    ['running', 'done'],
  );
  assert.match(
    (await suite.run('upgrade', 'resume')).stderr,
    /follow it with "talosctl upgrade status --watch"/,
  );
  assert.match((await suite.run('upgrade', 'abort')).stdout, /was not valid, and is removed/);
  assert.deepEqual(calls, ['watch', 'resume', 'abort']);
});

// talosctl reboot, shutdown and reset: what they request from nodes, and how they follow the progress.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { FakeHandler } from './fake-gateway.ts';
import { FakeMachine, sequenceEvent, statusEvent, taskEvent } from './fake-machine.ts';
import { healthyCluster } from './replies.ts';
import { runToEnd } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const machines = new Map<string, FakeMachine>();
const machineOf = (name = 'node01'): FakeMachine => {
  const machine = machines.get(name) ?? new FakeMachine();
  machines.set(name, machine);
  return machine;
};
const handlers: Record<string, FakeHandler> = { ...healthyCluster };
for (const path of Object.keys(new FakeMachine().handlers))
  handlers[path] = (call) => machineOf(call.node).handlers[path]?.(call);
/** A gateway takes the calls to this node, but its machined does not run. */
const frozen = 'frozen';
for (const [path, handle] of Object.entries(handlers))
  handlers[path] = (call) => (call.node === frozen ? undefined : handle(call));
const suite = openSuite(handlers);
beforeEach(() => machines.clear());

/**
 * How a rebooting machine behaves. Before it goes down it replays events of a time in which it was healthy.
 */
const reboots = (machine: FakeMachine) => (actor: string) => {
  machine.tell(sequenceEvent('reboot', 1), actor);
  machine.tell(statusEvent(5, true));
  machine.tell(taskEvent('stopAllServices', 0), actor);
  setTimeout(() => machine.goDown(), 100);
  setTimeout(() => machine.comeBack(), 1500);
};

test('reboot waits across the restart until the node runs with another boot id', async () => {
  const machine = machineOf();
  machine.tell(statusEvent(4, true));
  machine.act = reboots(machine);
  const { stdout, stderr, exitCode } = await suite.run('reboot', '-n', 'node01', '--mode', 'powercycle');
  assert.equal(exitCode, 0, stderr);
  assert.equal(stdout, '');
  assert.deepEqual(machine.requests, [{ mode: 1 }]);
  const lines = stderr.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, 1), ['"node01": waiting for actor ID']);
  assert.match(lines[1] ?? '', /^"node01": actor ID: actor-\d+$/);
  assert.ok(lines.includes('"node01": sequence: reboot action: START'));
  assert.ok(lines.includes('"node01": task: stopAllServices action: START'));
  assert.ok(lines.includes('"node01": unavailable, retrying...'));
  assert.deepEqual(lines.slice(-3), [
    '"node01": events check condition met',
    '"node01": post check passed',
    '"node01": done',
  ]);
});

test('reboot ignores replayed events of a node that has not gone down yet, as it does its boot id', async () => {
  const machine = machineOf();
  machine.tell(statusEvent(4, true));
  machine.act = (actor) => {
    machine.tell(sequenceEvent('reboot', 1), actor);
    machine.tell(taskEvent('stopAllServices', 0), actor);
    // Longer than the poll interval: the old node is polled once more.
    setTimeout(() => machine.goDown(), 1500);
    setTimeout(() => machine.comeBack(), 2500);
  };
  const { stderr, exitCode } = await suite.run('reboot', '-n', 'node01');
  assert.equal(exitCode, 0, stderr);
  assert.equal(machine.bootId, 2);
});

test('reboot is done when the node answers through every endpoint that can be reached', async () => {
  const machine = machineOf();
  machine.tell(statusEvent(4, true));
  machine.act = reboots(machine);
  const version = '/machine.MachineService/Version';
  let refusals = 0;
  // It has called the node while it was down, and backs off.
  const backsOff = await suite.cluster.gateway({
    ...handlers,
    [version]: (call) => {
      if (machine.bootId < 2) return handlers[version]?.(call);
      refusals += 1;
      if (refusals > 3) return handlers[version]?.(call);
      call.fail(14, 'cannot reach node "node01": connect ECONNREFUSED, next attempt in 1s (via node02)');
    },
  });
  const dead = await suite.cluster.gateway(handlers);
  dead.kill();
  const endpoints = [suite.gateway, backsOff, dead].map(({ address }) => address);
  const config = await suite.cluster.talosconfig({ endpoints }, 'every-endpoint');
  const words = ['reboot', '-n', 'node01', '--yes'];
  const { stderr, exitCode } = await suite.talosctl.run(words, { environment: { TALOSCONFIG: config } });
  assert.equal(exitCode, 0, stderr);
  assert.equal(refusals, 4);
});

test('reboot works without the boot id when the caller may not read it', async () => {
  const machine = machineOf();
  machine.tell(statusEvent(4, true));
  machine.mayRead = false;
  machine.act = reboots(machine);
  const { stderr, exitCode } = await suite.run('reboot', '-n', 'node01', '-o', 'json');
  assert.equal(exitCode, 0, stderr);
  assert.equal(machine.bootId, 2);
  assert.ok(!stderr.includes('post check'));
});

test('a failed sequence fails only its node, and a document names which', async () => {
  const [good, bad] = [machineOf('node01'), machineOf('node02')];
  good.act = (actor) => good.tell(taskEvent('stopAllServices', 0), actor);
  bad.act = (actor) => {
    bad.tell(sequenceEvent('reset', 1), actor);
    bad.tell(
      sequenceEvent('reset', 0, {
        code: 0,
        message: 'sequence failed: ENOSPC: no space left on device, write',
      }),
      actor,
    );
  };
  const { stdout, stderr, exitCode } = await suite.run('reset', '-n', 'node01,node02', '--yes', '-o', 'json');
  assert.equal(exitCode, 1);
  const [first, second] = JSON.parse(stdout);
  assert.deepEqual([first.node, first.done, /^actor-/.test(first.actorId)], ['node01', true, true]);
  const error = { code: 'Aborted', message: 'sequence failed: no space left on device' };
  assert.deepEqual(second, { node: 'node02', error });
  assert.match(
    stderr,
    /error from node node02: rpc error: code = Aborted desc = sequence failed: no space left on device\n$/,
  );
});

test('a node that is busy with another sequence is reported at once, without waiting', async () => {
  const machine = machineOf();
  machine.act = () =>
    machine.tell(sequenceEvent('reset', 0, { code: 1, message: 'sequence not started: locked' }));
  const { stderr, exitCode } = await suite.run('reset', '-n', 'node01');
  assert.equal(exitCode, 1);
  assert.match(stderr, /desc = the node is busy with another sequence: try again later\n$/);
});

test('shutdown and reset are done when the services are being stopped', async () => {
  for (const verb of ['shutdown', 'reset']) {
    const machine = machineOf();
    machine.act = (actor) => {
      machine.tell(sequenceEvent(verb, 1), actor);
      machine.tell(taskEvent('stopAllServices', 0), actor);
    };
    const { stderr, exitCode } = await suite.run(verb, '-n', 'node01');
    assert.equal(exitCode, 0, stderr);
    assert.ok(stderr.endsWith('"node01": events check condition met\n"node01": done\n'), stderr);
  }
});

test('reset requests exactly what its flags select', async () => {
  const machine = machineOf();
  const words = ['--graceful=false', '--reboot', '--wipe-mode', 'system-disk', '--wait=false'];
  const labels = ['--system-labels-to-wipe', 'STATE,EPHEMERAL', '--user-disks-to-wipe', '/dev/sdb'];
  const { stdout, stderr, exitCode } = await suite.run('reset', '-n', 'node01', ...words, ...labels);
  assert.deepEqual([stdout, stderr, exitCode], ['', '', 0]);
  assert.deepEqual(machine.requests, [
    {
      graceful: false,
      reboot: true,
      mode: 1,
      systemPartitionsToWipe: [
        { label: 'STATE', wipe: true },
        { label: 'EPHEMERAL', wipe: true },
      ],
      userDisksToWipe: ['/dev/sdb'],
    },
  ]);
});

test('several nodes are not touched without a terminal, unless the user passed --yes', async () => {
  for (const verb of ['reboot', 'shutdown', 'reset']) {
    const { stderr, exitCode } = await suite.run(verb, '-n', 'node01,node02', '--wait=false');
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /acts on 2 nodes \(node01, node02\), and there is no terminal to confirm it on: add flag --yes/,
    );
  }
  assert.deepEqual(
    [...machines.values()].flatMap(({ requests }) => requests),
    [],
  );
  const { exitCode } = await suite.run('reboot', '--wait=false', '--yes');
  assert.equal(exitCode, 0);
  assert.equal(machines.size, 2);
});

test('a node that is not done in time fails, with the timeout', async () => {
  machineOf();
  const { stderr, exitCode } = await suite.run('shutdown', '-n', 'node01', '--timeout', '1s');
  assert.equal(exitCode, 1);
  assert.match(stderr, /code = DeadlineExceeded desc = the action was not done within 1 s\n$/);
});

test('a node that answers nothing fails with the timeout, which begins with the command', async () => {
  for (const words of [
    ['reboot'],
    ['shutdown', '--wait=false'],
    ['reset', '--dry-run'],
    ['reboot', '--drain'],
  ]) {
    const { stderr, exitCode } = await runToEnd(suite, [...words, '-n', frozen, '--timeout', '1s']);
    assert.equal(exitCode, 1, words.join(' '));
    assert.equal(
      stderr,
      'error from node frozen: rpc error: code = DeadlineExceeded desc = no answer within 1 s\n',
    );
  }
});

test('a timeout of many days is no timeout of a millisecond', async () => {
  const machine = machineOf();
  machine.act = (actor) => machine.tell(taskEvent('stopAllServices', 0), actor);
  const { stderr, exitCode } = await suite.run('shutdown', '-n', 'node01', '--timeout', '1000h');
  assert.equal(exitCode, 0, stderr);
});

test('an invalid request is rejected before any node is called', async () => {
  for (const words of [
    ['reboot', '--mode', 'kexec'],
    ['reboot', '--drain', '--drain-timeout', 'soon'],
    ['reboot', '--progress', 'loud'],
    ['reset', '--wipe-mode', 'none'],
    ['shutdown', '--timeout', 'soon'],
    ['shutdown', '--wait=perhaps'],
  ]) {
    const { stderr, exitCode } = await suite.run(...words, '-n', 'node01');
    assert.equal(exitCode, 1, words.join(' '));
    assert.match(stderr, /error: /);
  }
  assert.equal(machines.size, 0);
});

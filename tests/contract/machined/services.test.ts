// ServiceList, and how machined manages its daemons.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MachineServiceDefinition, type ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { type NodeUnderTest, startNode } from './harness/node-under-test.ts';

const history = ({ events }: ServiceInfo) =>
  (events?.events ?? []).map(
    ({ state, msg }) =>
      `${state}: ${msg.replace(/Process\(\[.*?\]\)/, 'Process([...])').replace(/PID \d+/, 'PID <n>')}`,
  );

/**
 * Without the entries that only a slow start adds: waiting for certificates, a daemon that does not listen
 * yet.
 */
const steady = (lines: readonly string[]) =>
  lines.filter((line) => !/^(Waiting: Waiting for|Running: Health check failed: connect )/.test(line));

const pidOf = ({ events }: ServiceInfo) =>
  Number(
    /PID (\d+)$/.exec(
      events?.events.findLast(({ msg }) => msg.includes(' started with PID '))?.msg ?? '',
    )?.[1],
  );

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const firstRun = [
  'Starting: Starting service',
  'Preparing: Running pre state',
  'Preparing: Creating service runner',
  'Running: Process Process([...]) started with PID <n>',
  'Running: Health check successful',
];

async function healthyPids(node: NodeUnderTest): Promise<number[]> {
  const services = await Promise.all(
    ['apid', 'trustd'].map((id) => node.serviceSays(id, /Health check successful/)),
  );
  return services.map(pidOf);
}

// They mostly wait, each on a node of its own, so they run concurrently.
describe('services of a node', { concurrency: 4 }, () => {
  test('a control plane lists machined and the other daemons with history and health', async () => {
    await using node = await startNode();
    await Promise.all(
      ['machined', 'apid', 'trustd', 'udevd-bridge'].map((id) =>
        node.serviceSays(id, /Health check successful/),
      ),
    );
    const client = node.client(MachineServiceDefinition, 'os:reader');
    const [list] = (await client.serviceList({})).messages;
    assert.deepEqual(
      list?.services.map(({ id, state }) => `${id} ${state}`),
      ['apid Running', 'machined Running', 'trustd Running', 'udevd-bridge Running'],
    );
    const [apid, machined, trustd, bridge] = (list?.services ?? []).map(history);
    assert.deepEqual(steady(apid ?? []), firstRun);
    assert.deepEqual(steady(trustd ?? []), firstRun);
    assert.deepEqual(steady(bridge ?? []), firstRun);
    assert.deepEqual(steady(machined ?? []), [
      ...firstRun.slice(0, 3),
      'Running: Service started as goroutine',
      'Running: Health check successful',
    ]);
    for (const { health, events } of list?.services ?? []) {
      const { unknown, healthy, lastMessage, lastChange } = health ?? {};
      assert.deepEqual([unknown, healthy, lastMessage], [false, true, '']);
      assert.deepEqual(lastChange, events?.events.at(-1)?.ts);
      assert.ok(Math.abs(Number(lastChange?.seconds) - Date.now() / 1000) < 600);
    }
  });

  test("the daemons run in the node's folder, under the permission model, and apid gets no proxy settings", async () => {
    await using node = await startNode({ env: { HTTPS_PROXY: 'http://proxy.example:1', MARKER: 'kept' } });
    await healthyPids(node);
    const facts = async (id: string) => {
      const line = (await node.log(id)).split('\n').find((text) => text.startsWith('fake daemon runs '));
      return JSON.parse(line?.slice('fake daemon runs '.length) ?? '{}');
    };
    const [apid, trustd] = [await facts('apid'), await facts('trustd')];
    assert.deepEqual([apid.cwd, apid.proxy, apid.marker], [node.root, undefined, 'kept']);
    assert.deepEqual([trustd.cwd, trustd.proxy], [node.root, 'http://proxy.example:1']);
    for (const { execArgv } of [apid, trustd]) {
      const flags = (execArgv as string[]).map((flag) => flag.replace(/=.*/, ''));
      assert.ok(flags.includes('--permission') && flags.includes('--allow-net'));
      // Each daemon drops foreign functions itself: packages/daemon/src/release-memory.test.ts.
      assert.deepEqual(
        flags.filter((flag) => /addons|child-process|worker|wasi|inspector/.test(flag)),
        [],
      );
    }
  });

  test('a daemon that crashes is restarted after the delay, and the history has the reason', async () => {
    await using node = await startNode({ args: ['--restart-interval', '2s'] });
    const [pid = 0] = await healthyPids(node);
    await node.order('apid', 'exit 3');
    const waiting = await node.serviceSays('apid', /going to restart forever/);
    assert.deepEqual(
      [waiting.state, waiting.health?.healthy, waiting.health?.lastMessage],
      ['Waiting', false, 'service not running'],
    );
    await node.order('apid', '');
    const again = await node.serviceSays('apid', /Health check successful/);
    const events = steady(history(again));
    assert.deepEqual(events.slice(0, firstRun.length), firstRun);
    const reason = events[firstRun.length] ?? '';
    assert.match(
      reason,
      /^Waiting: Error running Process\(\[\.\.\.\]\), going to restart forever: exit status 3 \(last log ".*going down with 3"\)$/,
    );
    assert.deepEqual(
      events.slice(firstRun.length + 1).filter((line) => line !== reason),
      firstRun.slice(3),
    );
    assert.notEqual(pidOf(again), pid);
  });

  test('a daemon that exits without an error is restarted, too, and the history names the signal of a killed one', async () => {
    await using node = await startNode({ args: ['--restart-interval', '1h'] });
    const [, pid = 0] = await healthyPids(node);
    await node.order('apid', 'exit 0');
    await node.serviceSays('apid', /^Runner Process\(\[.*\]\) exited without error, going to restart it$/);
    process.kill(pid, 'SIGKILL');
    await node.serviceSays('trustd', /going to restart forever: signal: killed/);
  });

  test('a daemon that accepts no connections becomes unhealthy, and logs that once', async () => {
    await using node = await startNode();
    await healthyPids(node);
    await node.order('trustd', 'deaf');
    const info = await node.serviceSays('trustd', /^Health check failed: connect ECONNREFUSED/);
    assert.deepEqual([info.state, info.health?.healthy], ['Running', false]);
  });

  test('SIGTERM stops the daemons in order, then machined with code 0, and nothing is left', async () => {
    await using node = await startNode();
    const pids = await healthyPids(node);
    node.machined.signal('SIGTERM');
    assert.deepEqual(await node.machined.exited, { code: 0, signal: null });
    assert.deepEqual(pids.map(isAlive), [false, false]);
    const left = [
      node.socket,
      ...['apid', 'trustd'].map((id) => join(node.root, 'system', 'run', id, 'runtime.sock')),
    ];
    assert.deepEqual(
      left.filter((path) => existsSync(path)),
      [],
    );
    const ends = node.machined
      .lines()
      .filter(({ state, message }) => state === 'Finished' && message === 'Service finished successfully')
      .map(({ service }) => service);
    assert.deepEqual([ends.slice(0, 3).sort(), ends[3]], [['apid', 'trustd', 'udevd-bridge'], 'machined']);
  });

  test('SIGTERM while a daemon waits for its restart prevents the restart', async () => {
    await using node = await startNode({ args: ['--restart-interval', '1h'] });
    await healthyPids(node);
    await node.order('apid', 'exit 1');
    await node.serviceSays('apid', /going to restart/);
    node.machined.signal('SIGTERM');
    assert.equal((await node.machined.exited).code, 0);
    const said = node.machined
      .lines()
      .filter(({ service }) => service === 'apid')
      .slice(-2)
      .map(({ message }) => message);
    assert.deepEqual(said, ['Aborting restart sequence', 'Service finished successfully']);
  });

  // After SIGKILL the daemons keep running, in machined's process group. The program that started machined
  // must end that group, as the supervisor of a cluster does. A machined that crashes by itself ends them.
  test("after SIGKILL the daemons keep running until machined's parent ends them", async () => {
    await using node = await startNode();
    const pids = await healthyPids(node);
    node.machined.signal('SIGKILL');
    await node.machined.exited;
    assert.deepEqual(pids.map(isAlive), [true, true]);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await eventually(() => !pids.some(isAlive), { what: 'end of the daemons' });
  });
});

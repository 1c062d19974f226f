// machined with daemons that another program runs (neighbours): how it reports them, and that it neither
// starts nor stops them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { ports } from '@nodewright/contract';
import { MachineServiceDefinition, type ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually, spawnDaemon } from '@nodewright/testkit';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';
import { apidRuntime, runtimeSocketOf } from './harness/runtime-state.ts';

/** Accepts connections in place of the neighbour until it is disposed. */
async function listenAs(daemon: 'apid' | 'trustd', address: string): Promise<AsyncDisposable> {
  const server = createServer((socket) => socket.destroy());
  server.listen(ports[daemon], address);
  await once(server, 'listening');
  return server;
}

const history = ({ events }: ServiceInfo) =>
  (events?.events ?? []).map(({ state, msg }) => `${state}: ${msg}`);

/** It is listed once the node knows its machine type, and then its log exists. */
const isKnown = (node: NodeUnderTest, id: string) => node.serviceSays(id, /./);
const isHealthy = (node: NodeUnderTest, id: string) => node.serviceSays(id, /^Health check successful$/);

/** Processes whose parent is `pid`. */
function childrenOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
}

describe('neighbours of a node', { concurrency: 4 }, () => {
  test('a neighbour that appears, disappears and returns has the right history and health', async () => {
    await using node = await startNode({ services: 'external' });
    const waiting = await node.serviceSays('apid', /^Waiting for External/);
    assert.deepEqual([waiting.state, waiting.health?.unknown], ['Waiting', true]);
    {
      await using _apid = await listenAs('apid', node.address);
      const { state, health } = await isHealthy(node, 'apid');
      assert.deepEqual([state, health?.unknown, health?.healthy], ['Running', false, true]);
    }
    const gone = await node.serviceSays('apid', /waiting for it to be restarted/);
    assert.deepEqual(
      [gone.state, gone.health?.healthy, gone.health?.lastMessage],
      ['Waiting', false, 'service not running'],
    );
    await using _again = await listenAs('apid', node.address);
    const back = await isHealthy(node, 'apid');
    // A check at the moment of the loss may be reported first.
    const told = history(back).filter(
      (line) => !/^(Waiting: Waiting for (api|config)|Running: Health check failed)/.test(line),
    );
    assert.deepEqual(told, [
      'Starting: Starting service',
      'Preparing: Running pre state',
      'Preparing: Creating service runner',
      'Waiting: Waiting for External("apid") to take connections',
      'Running: Service External("apid") takes connections',
      'Running: Health check successful',
      `Waiting: Error running External("apid"), waiting for it to be restarted: connect ECONNREFUSED ${node.address}:50000`,
      'Running: Service External("apid") takes connections',
      'Running: Health check successful',
    ]);
  });

  test('nothing is started, neighbours find their private sockets, and a stop leaves them running', async () => {
    const address = ownAddress();
    await using _apid = await listenAs('apid', address);
    await using _trustd = await listenAs('trustd', address);
    await using node = await startNode({ services: 'external', address });
    await Promise.all(['apid', 'trustd'].map((id) => isHealthy(node, id)));
    assert.deepEqual(childrenOf(node.machined.pid), []);
    const { config } = await apidRuntime(node.root);
    assert.equal(config.listenAddress, `${address}:50000`);
    const modes = (['apid', 'trustd'] as const).map((id) => {
      const socket = runtimeSocketOf(node.root, id);
      assert.ok(statSync(socket).isSocket());
      return statSync(dirname(socket)).mode & 0o777;
    });
    assert.deepEqual(modes, [0o700, 0o700]);
    node.machined.signal('SIGTERM');
    assert.deepEqual(await node.machined.exited, { code: 0, signal: null });
    const said = node.machined
      .lines()
      .filter(({ service }) => service === 'apid')
      .map(({ state, message }) => `${state}: ${message}`);
    assert.deepEqual(said.slice(-2), [
      'Stopping: Service stopping',
      'Finished: Service finished successfully',
    ]);
  });

  test('reading a log that its neighbour does not share is refused, and names where the log is', async () => {
    await using node = await startNode({ services: 'external' });
    await Promise.all(['apid', 'trustd'].map((id) => isKnown(node, id)));
    for (const id of ['apid', 'trustd']) {
      await assert.rejects(node.log(id), {
        details: `the container engine keeps the log of "${id}": read it with "docker compose logs"`,
      });
    }
    assert.match(await node.log('machined'), /daemon serves/);
    const { messages } = await node.client(MachineServiceDefinition, 'os:admin').logsContainers({});
    assert.deepEqual(messages[0]?.ids, ['controller-runtime', 'dns-resolve-cache', 'machined']);
  });

  test('a log that the neighbour shares is shown', async () => {
    await using node = await startNode({ services: 'external' });
    const folder = join(node.root, 'var', 'log', 'apid');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'apid.log'), 'neighbour says\n');
    await eventually(async () => (await node.log('apid').catch(() => '')) === 'neighbour says\n', {
      what: 'log of apid',
    });
    await isKnown(node, 'trustd');
    await assert.rejects(node.log('trustd'), { details: /the container engine keeps the log/ });
  });

  test('all of that works under the permission model, too', async () => {
    await using node = await startNode({
      services: 'external',
      env: { NODE_OPTIONS: '--permission --allow-net --allow-fs-read=* --allow-fs-write=*' },
    });
    await using _apid = await listenAs('apid', node.address);
    await isHealthy(node, 'apid');
    const { messages } = await node.client(MachineServiceDefinition, 'os:admin').memory({});
    assert.ok((messages[0]?.meminfo?.memtotal ?? 0n) > 0n);
    node.machined.signal('SIGTERM');
    assert.equal((await node.machined.exited).code, 0);
  });

  test('a machined that shall start daemons without a path to them says what is missing', async () => {
    const args = ['--root', '/nowhere', '--mode', 'process', '--address', ownAddress()];
    await using machined = await spawnDaemon({ name: 'machined', args });
    assert.equal((await machined.exited).code, 1);
    await eventually(
      async () => machined.lines().some(({ error }) => /^--services-dir is missing: /.test(String(error))),
      { what: 'the reason' },
    );
  });
});

// Commands with which users watch a cluster: events, health, and a talosconfig for another user.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CallFault, openTalosClient, readTalosconfig } from '@nodewright/client';
import { eventually } from '@nodewright/testkit';
import type { Cluster } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

describe('watching a cluster', () => {
  const scope = new AsyncDisposableStack();
  let cluster: Cluster;
  before(async () => {
    cluster = scope.use(await openCluster({ controlPlanes: 2, workers: 1 }));
  });
  after(() => scope.disposeAsync());

  test('a new cluster is healthy, as checked by a control plane and by the command line', async () => {
    const [first] = cluster.controlPlanes;
    const node = ['-n', first?.name as string];
    const named = ['--control-plane-nodes', cluster.controlPlanes.map(({ address }) => address).join(',')];
    const [server, client] = await Promise.all([
      cluster.talosctl(...node, 'health', '--wait-timeout', '1m', '-o', 'json'),
      cluster.talosctl(...node, 'health', '--server=false', ...named, '--wait-timeout', '1m', '-o', 'json'),
    ]);
    assert.deepEqual([server.exitCode, client.exitCode], [0, 0], server.stderr + client.stderr);
    const all = cluster.nodes.map(({ address }) => JSON.stringify(address));
    assert.ok(server.stderr.startsWith(`discovered nodes: [${all.join(' ')}]\n`), server.stderr);
    for (const { stdout } of [server, client]) {
      const { healthy, checks } = JSON.parse(stdout) as {
        healthy: boolean;
        checks: { check: string; state: string }[];
      };
      assert.equal(healthy, true);
      assert.deepEqual(
        checks.filter(({ state }) => state === 'OK').map(({ check }) => check),
        [
          'apid to be ready',
          'all nodes memory sizes',
          'all nodes disk sizes',
          'no diagnostics',
          'all nodes to finish boot sequence',
        ],
      );
    }
  });

  test('every node sends its events, through every endpoint, until the client cancels', async () => {
    using talos = await cluster.client({ roles: ['os:reader'] });
    const stop = new AbortController();
    const types = new Map<string, Set<string>>();
    const names = cluster.nodes.map(({ name }) => name);
    const watching = (async () => {
      const events = talos.fanOutStream(
        (node, signal) => node.machine.events({ tailEvents: -1 }, { signal }),
        { nodes: names, signal: stop.signal },
      );
      for await (const { node, value, fault } of events) {
        if (fault !== undefined) {
          if (!stop.signal.aborted) throw fault;
          continue;
        }
        types.set(node, (types.get(node) ?? new Set()).add(value.data?.typeUrl ?? ''));
      }
    })();
    watching.catch(() => {});
    const hasAll = () => names.every((name) => types.get(name)?.size === 7);
    await eventually(hasAll, {
      what: 'events of all nodes',
      explain: () => JSON.stringify([...types.keys()]),
    });
    stop.abort();
    await watching;
    assert.deepEqual([...(types.get(names[0] as string) ?? [])].sort(), [
      '',
      ...['Address', 'MachineStatus', 'Phase', 'Sequence', 'ServiceState', 'Task'].map(
        (name) => `talos/runtime/machine.${name}Event`,
      ),
    ]);
  });

  test('config new makes a talosconfig that allows exactly what its roles allow', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'config-new-'));
    scope.defer(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'talosconfig');
    const made = await cluster.talosctl('config', 'new', '--roles', 'os:reader', '--crt-ttl', '1h', path);
    assert.equal(made.exitCode, 0, made.stderr);
    const { contexts, context } = await readTalosconfig(path);
    assert.equal(context, `reader@${cluster.name}`);
    using talos = openTalosClient({ context: contexts.get(context) });
    const node = talos.node(cluster.workers[0]?.name as string);
    await node.machine.version({});
    const request = { roles: ['os:admin'], crtTtl: { seconds: 60n } };
    await assert.rejects(
      talos.node(cluster.controlPlanes[0]?.name as string).machine.generateClientConfiguration(request),
      {
        kind: 'permission-denied',
      },
    );
    const refused = await node.machine
      .read({ path: '/etc/hostname' })
      [Symbol.asyncIterator]()
      .next()
      .catch((e) => e);
    assert.ok(refused instanceof CallFault);
    assert.deepEqual([refused.code, refused.node, refused.hop], [7, node.name, undefined]);
  });
});

// Clusters of `talosctl cluster create --provisioner docker`: several at once, killed, stopped, interrupted,
// destroyed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTalosconfig } from '@nodewright/client/talosconfig';
import { readProcesses } from '@nodewright/linux';
import type { ClusterView } from '@nodewright/provision';
import { runDocker } from '@nodewright/provision/engine';
import { eventually } from '@nodewright/testkit';
import {
  type DockerCluster,
  engineEnvironment,
  openDockerCluster,
  pidOf,
} from '../cluster/docker/docker-cluster.ts';
import { openHome } from '../cluster/process/process-cluster.ts';
import { interruptTalosctl, runTalosctl, startTalosctl } from '../cluster/run-talosctl.ts';
import { openLateEngine } from './late-engine.ts';
import { reasonToSkip } from './reason-to-skip.ts';

const shape = { controlPlanes: 1, workers: 0 };
/** Takes seconds on an idle machine; half a minute was seen next to other suites. */
const healTimeoutMs = 120_000;

/** Lists everything in the engine with this name. */
async function objectsOf(name: string): Promise<string[]> {
  const lists = await Promise.all([
    runDocker(['ps', '--all', '--format', '{{.Names}}']),
    runDocker(['network', 'ls', '--format', '{{.Name}}']),
    runDocker(['volume', 'ls', '--format', '{{.Name}}']),
  ]);
  return lists
    .flatMap((text) => text.split('\n'))
    .filter((line) => line === name || line.startsWith(`${name}-`) || line.startsWith(`${name}_`));
}

async function keepersOf(folder: string): Promise<number[]> {
  const processes = await readProcesses({ pageSizeBytes: 4096 });
  return processes
    .filter(({ args }) => args.includes('docker-keeper.cjs') && args.includes(folder))
    .map(({ pid }) => pid);
}

/** Folders of clusters; empty when no command has created one yet. */
function clustersIn(home: string): string[] {
  const folder = join(home, 'clusters');
  return existsSync(folder) ? readdirSync(folder) : [];
}

async function answers(cluster: DockerCluster): Promise<boolean> {
  const { exitCode } = await cluster.talosctl('-n', 'node01', 'version');
  return exitCode === 0;
}

suite('docker provisioner', { skip: await reasonToSkip() }, () => {
  const scope = new AsyncDisposableStack();
  let one: DockerCluster;
  let two: DockerCluster;
  before(async () => {
    const opening = [openDockerCluster(shape), openDockerCluster(shape)] as const;
    for (const outcome of await Promise.allSettled(opening))
      if (outcome.status === 'fulfilled') scope.use(outcome.value);
    [one, two] = await Promise.all(opening);
  });
  after(() => scope.disposeAsync());

  test('two clusters created at once each have their own networks, ports and Jaeger', async () => {
    const facts = (of: ({ network, jaeger, nodes }: ClusterView) => unknown) =>
      new Set([one, two].map(({ view }) => of(view)));
    assert.equal(facts(({ network }) => network.cidr).size, 2);
    assert.equal(facts(({ jaeger }) => jaeger?.url).size, 2);
    assert.equal(facts(({ jaeger }) => jaeger?.otlp).size, 2);
    assert.equal(facts(({ nodes }) => nodes[0]?.published).size, 2);
    for (const { view } of [one, two]) {
      const response = await fetch(`${view.jaeger?.url}/api/services`);
      assert.equal(response.status, 200);
    }
  });

  test('the nodes can be reached by the context and by the published port', async () => {
    for (const cluster of [one, two]) {
      const { contexts, context } = await readTalosconfig(join(cluster.home, 'config'));
      assert.equal(context, cluster.name);
      assert.equal(contexts.get(context)?.endpoints.length, 1);
      assert.ok(await answers(cluster));
      const published = cluster.view.nodes[0]?.published ?? '';
      const { exitCode, stderr } = await cluster.talosctl('-e', published, '-n', 'node01', 'version');
      assert.equal(exitCode, 0, stderr);
    }
  });

  test("show finds the cluster's provisioner, and lists what runs", async () => {
    const { provisioner, state, network, supervisor, nodes } = await one.show();
    assert.deepEqual(
      { provisioner, state, network: network.name, nodes: nodes.map((node) => [node.name, node.state]) },
      { provisioner: 'docker', state: 'running', network: one.name, nodes: [['node01', 'running']] },
    );
    assert.deepEqual(await keepersOf(one.view.folder), [supervisor?.pid]);
    const text = await one.talosctl('cluster', 'show', '--name', one.name);
    assert.match(text.stdout, /^JAEGER +http:\/\/127\.0\.0\.1:\d+$/m);
  });

  test('logs prints the lines of each daemon of the node', async () => {
    const { exitCode, stdout } = await one.talosctl('cluster', 'logs', '--name', one.name, '-o', 'json');
    assert.equal(exitCode, 0);
    const lines = JSON.parse(stdout) as { node: string; text: string }[];
    assert.deepEqual([...new Set(lines.map(({ node }) => node))], ['node01']);
    for (const daemon of ['machined', 'apid', 'trustd', 'udevd-bridge'])
      assert.ok(
        lines.some(({ text }) => text.includes(`"name":"${daemon}"`)),
        daemon,
      );
    const other = await one.talosctl('cluster', 'logs', '--name', one.name, 'node09');
    assert.match(other.stderr, /^error: cluster ".*" has no node "node09": it has node01/);
  });

  for (const services of [
    ['node01-apid'],
    ['node01-trustd'],
    ['node01-udevd-bridge'],
    ['node01'],
    ['time'],
    ['jaeger'],
    ['node01', 'node01-apid', 'node01-trustd'],
  ]) {
    test(`the cluster recovers from docker kill of ${services.join(' and ')}`, async () => {
      const containers = services.map((service) => one.containerOf(service));
      const before = await Promise.all(containers.map(pidOf));
      await runDocker(['kill', ...containers]);
      const isNew = async (container: string, index: number) =>
        ![undefined, before[index]].includes(await pidOf(container));
      for (const [index, container] of containers.entries())
        await eventually(() => isNew(container, index), { what: container, timeoutMs: healTimeoutMs });
      await eventually(() => answers(one), { what: 'answer', timeoutMs: healTimeoutMs });
      // The services of the compose file, and etcd, which machined starts later.
      let running = '';
      const areAll = async () => {
        running = await runDocker(['ps', '--filter', `name=^${one.name}-`, '--format', '{{.Names}}']);
        return running.trim().split('\n').length === 8;
      };
      await eventually(areAll, {
        what: 'eight containers',
        timeoutMs: healTimeoutMs,
        explain: () => running,
      });
    });
  }

  test('a stopped container stays stopped until a user starts it', async () => {
    const container = one.containerOf('node01-trustd');
    await runDocker(['stop', '--time', '5', container]);
    await sleep(4_000);
    assert.equal(await pidOf(container), undefined);
    await runDocker(['start', container]);
    await runDocker(['kill', container]);
    await eventually(async () => (await pidOf(container)) !== undefined, {
      what: container,
      timeoutMs: healTimeoutMs,
    });
  });

  test('create restarts a keeper that was killed, and changes nothing else', async () => {
    const [pid] = await keepersOf(two.view.folder);
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    const before = await pidOf(two.containerOf('node01'));
    const words = ['cluster', 'create', 'docker', '--name', two.name, '--workers', '0'];
    const { exitCode, stderr } = await two.talosctl(...words, '--if-absent');
    assert.equal(exitCode, 0, stderr);
    // Between fork and exec a child of the keeper looks like a second one.
    const isOne = async () => (await keepersOf(two.view.folder)).length === 1;
    await eventually(isOne, { what: 'one keeper', timeoutMs: healTimeoutMs });
    assert.equal(await pidOf(two.containerOf('node01')), before);
    assert.match(
      (await two.talosctl(...words)).stderr,
      /^error: cluster ".*" already runs \(supervisor pid \d+\)/,
    );
  });

  test('a name that the engine already has is rejected from another folder, and missing images are named', async () => {
    await using home = await openHome();
    const environment = engineEnvironment();
    const words = ['cluster', 'create', 'docker', '--workers', '0', '--name'];
    const rows: [string, Record<string, string>, RegExp][] = [
      [one.name, {}, /^error: the engine has a cluster ".*" already, the one in .*: use another --name/],
      [
        'x',
        { NODEWRIGHT_TAG: 'none' },
        /^error: images are missing: nodewright\/machined:none, .*make images\)\n$/,
      ],
      ['X', {}, /^error: a cluster of containers needs a name of lower-case letters.*not "X"/],
    ];
    for (const [name, more, message] of rows) {
      const { exitCode, stderr } = await runTalosctl([...words, name], {
        home: home.path,
        environment: { ...environment, ...more },
      });
      assert.deepEqual([exitCode, stderr.trimEnd().split('\n').length], [1, 1], stderr);
      assert.match(stderr, message);
    }
    assert.deepEqual(readdirSync(home.path), []);
  });

  test('create leaves nothing when it is interrupted, at any moment', async () => {
    await using home = await openHome();
    const name = `int-${one.name}`;
    const cli = { home: home.path, environment: engineEnvironment(), ownGroup: true } as const;
    for (const delayMs of [500, 1500, 3000]) {
      const child = startTalosctl(['cluster', 'create', 'docker', '--name', name, '--workers', '0'], cli);
      const closed = once(child, 'close');
      child.stdout.resume();
      child.stderr.resume();
      await sleep(delayMs);
      interruptTalosctl(child);
      const [code] = await closed;
      // It may have finished just before the signal: then the cluster exists and is complete.
      if (code === 0) await runTalosctl(['cluster', 'destroy', '--name', name], cli);
      assert.deepEqual(await objectsOf(name), [], `after ${delayMs} ms`);
      assert.deepEqual(clustersIn(home.path), []);
    }
  });

  for (const what of ['networks', 'containers']) {
    test(`create leaves nothing when it is interrupted while the engine makes ${what}`, async () => {
      await using home = await openHome();
      await using engine = await openLateEngine(new RegExp(`^POST \\S*/${what}/create`));
      const name = `late-${what}-${two.name}`;
      const child = startTalosctl(['cluster', 'create', 'docker', '--name', name, '--workers', '0'], {
        home: home.path,
        environment: { ...engineEnvironment(), ...engine.environment },
        ownGroup: true,
      });
      const closed = once(child, 'close');
      child.stdout.resume();
      child.stderr.resume();
      await Promise.race([engine.held, closed]);
      interruptTalosctl(child);
      // Longer than a command takes that does not wait for the engine.
      await Promise.race([closed, sleep(4_000)]);
      await engine.release();
      assert.notEqual((await closed)[0], 0);
      assert.deepEqual(await objectsOf(name), []);
      assert.deepEqual(clustersIn(home.path), []);
    });
  }

  test('destroy leaves no container, network, volume, process or context', async () => {
    const { folder } = one.view;
    assert.notDeepEqual(await objectsOf(one.name), []);
    await one.destroy();
    assert.deepEqual(await objectsOf(one.name), []);
    assert.deepEqual(await keepersOf(folder), []);
    assert.deepEqual(clustersIn(one.home), []);
    assert.deepEqual([...(await readTalosconfig(join(one.home, 'config'))).contexts.keys()], []);
    assert.ok(await answers(two), 'the other cluster is as it was');
  });

  test('a cluster whose folder is removed ends by itself', async () => {
    rmSync(two.view.folder, { recursive: true });
    const gone = async () =>
      (await objectsOf(two.name)).length === 0 && (await keepersOf(two.view.folder)).length === 0;
    await eventually(gone, { what: 'end of the cluster', timeoutMs: healTimeoutMs });
  });
});

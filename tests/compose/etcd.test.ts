// etcd of control planes in containers, which machined starts next to itself, and the calls of the API about
// containers.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { layoutArchive, makeTestImage, openTestRegistry } from '@nodewright/containers/conformance';
import { ownedByCluster } from '@nodewright/containers/docker/owned-reference';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { eventually } from '@nodewright/testkit';
import { ensureBusybox } from '../../tools/engine/ensure-busybox.ts';
import { type DockerCluster, openDockerCluster } from '../cluster/docker/docker-cluster.ts';
import { reasonToSkip } from './reason-to-skip.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** Takes seconds on an idle machine. */
const healTimeoutMs = 120_000;

suite('etcd in containers', { skip: await reasonToSkip() }, () => {
  const scope = new AsyncDisposableStack();
  let cluster: DockerCluster;
  before(async () => {
    cluster = scope.use(await openDockerCluster({ controlPlanes: 3, workers: 0 }));
  });
  after(() => scope.disposeAsync());

  const talosctlOn = async (node: string, ...words: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await cluster.talosctl('-n', node, ...words);
    assert.equal(exitCode, 0, `${words.join(' ')}: ${stderr}`);
    return stdout;
  };
  const talosctl = (...words: string[]) => talosctlOn('node01', ...words);
  const etcdOf = (node: string) => `${cluster.view.name}-${node}-system-etcd`;
  const pidOf = async (name: string) =>
    (await tryDocker(['inspect', '--format', '{{.State.Pid}}', name])).stdout.trim();
  const votesOf = async () => {
    const members = (await talosctl('etcd', 'members')).trim().split('\n').slice(1);
    return members.filter((line) => line.endsWith('false')).length;
  };

  test("three control planes vote, each in a container that shares its node's network and has no privileges", async () => {
    assert.equal(await votesOf(), 3);
    for (const node of ['node01', 'node02', 'node03']) {
      const [{ HostConfig, Config }] = JSON.parse(await runDocker(['inspect', etcdOf(node)]));
      const machined = (
        await runDocker(['inspect', '--format', '{{.Id}}', cluster.containerOf(node)])
      ).trim();
      assert.equal(HostConfig.NetworkMode, `container:${machined}`);
      assert.deepEqual(HostConfig.CapDrop, ['ALL']);
      assert.equal(HostConfig.ReadonlyRootfs, true);
      assert.equal(Config.User, '52:52');
    }
  });

  test('machined restarts an etcd that was killed or whose container was removed', async () => {
    for (const order of [['kill'], ['rm', '--force']]) {
      const before = await pidOf(etcdOf('node02'));
      await runDocker([...order, etcdOf('node02')]);
      await eventually(
        async () => {
          const now = await pidOf(etcdOf('node02'));
          return now !== '' && now !== '0' && now !== before;
        },
        { what: `etcd after ${order.join(' ')}`, timeoutMs: healTimeoutMs },
      );
    }
    const history = await talosctlOn('node02', 'service', 'etcd');
    assert.match(
      history,
      /Error running Docker\(etcd\), going to restart forever: task "etcd" failed: exit code 137/,
    );
    assert.match(history, /Started task etcd \(PID \d+\) for container etcd/);
    await eventually(async () => (await votesOf()) === 3, { what: 'votes', timeoutMs: healTimeoutMs });
  });

  test('a machined that was killed stops its old etcd, and starts it again in its new network', async () => {
    const before = await pidOf(etcdOf('node03'));
    await runDocker(['kill', cluster.containerOf('node03')]);
    await eventually(
      async () => {
        const now = await pidOf(etcdOf('node03'));
        if (now === '' || now === '0' || now === before) return false;
        return /HEALTH +OK/.test(await talosctlOn('node03', 'service', 'etcd'));
      },
      { what: 'etcd of node03', timeoutMs: healTimeoutMs },
    );
  });

  test('containers, stats and restart cover the daemons and etcd', async () => {
    const rows = (await talosctl('containers')).trim().split('\n').slice(1);
    const ids = rows.map((row) => row.split(/\s+/)[2]);
    assert.deepEqual(ids.sort(), ['apid', 'etcd', 'registryd', 'trustd', 'udevd-bridge']);
    assert.ok(
      rows.every((row) => row.endsWith('RUNNING')),
      rows.join('\n'),
    );
    assert.equal((await talosctl('stats')).trim().split('\n').length, 1 + ids.length);
    const before = await pidOf(etcdOf('node01'));
    await talosctl('restart', 'etcd');
    await eventually(async () => !['', '0', before].includes(await pidOf(etcdOf('node01'))), {
      what: 'restart',
      timeoutMs: healTimeoutMs,
    });
  });

  test('images are pulled, imported, listed and removed on one node only', async () => {
    await using registry = await openTestRegistry();
    const image = await makeTestImage({ busybox: ensureBusybox(checkout), paddingBytes: 100_000 });
    registry.put('app', 'v1', image.manifest, [image]);
    const reference = `${registry.host}/app:v1`;
    const ofSystem = (...words: string[]) => talosctl('image', ...words, '--namespace', 'system');
    await ofSystem('pull', reference);
    const folder = mkdtempSync(join(tmpdir(), 'archive-'));
    try {
      writeFileSync(join(folder, 'app.tar'), await layoutArchive(image, 'registry.example/app:v2'));
      await ofSystem('import', join(folder, 'app.tar'));
    } finally {
      rmSync(folder, { recursive: true });
    }
    const listed = await ofSystem('list');
    assert.ok(listed.includes(reference) && listed.includes('registry.example/app:v2'), listed);
    const elsewhere = await talosctlOn('node02', 'image', 'list', '--namespace', 'system');
    assert.ok(!elsewhere.includes('/app'), elsewhere);
    await ofSystem('remove', reference);
    assert.ok(!(await ofSystem('list')).includes(reference));
    // The engine keeps no tag with the name by which it was pulled.
    assert.equal((await tryDocker(['image', 'inspect', reference])).code, 1);
  });

  test('a destroyed cluster leaves nothing behind', async () => {
    const { name } = cluster.view;
    await cluster.destroy();
    const left = await runDocker(['ps', '--all', '--format', '{{.Names}}']);
    assert.ok(!left.includes(`${name}-`), left);
    const tags = await runDocker(['image', 'ls', '--format', '{{.Repository}}']);
    assert.ok(!tags.includes(ownedByCluster(name)), tags);
  });
});

// Nodes that are one container each are upgraded, rolled back, and give a system up that does not come up: their keeper loads the image of an
// artefact, and starts it. The programs are those of this build, in the image of a node.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { nodeImage } from '@nodewright/build';
import { keysFolder, secureBootKey } from '@nodewright/build/keys';
import { buildInfo } from '@nodewright/contract';
import { layoutArchiveOf, testArtefact } from '@nodewright/installer/testing';
import { platformOfNode } from '@nodewright/oci';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { eventually } from '@nodewright/testkit';
import type { DockerCluster } from '../cluster/docker/docker-cluster.ts';
import { openNodeImageCluster } from '../cluster/docker/node-image-cluster.ts';
import { openHome } from '../cluster/process/process-cluster.ts';
import { checkout } from '../cluster/run-talosctl.ts';
import { reasonToSkip } from './reason-to-skip.ts';
import { startWholeNode } from './whole-node.ts';

const skip = await reasonToSkip();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const timeoutMs = 300_000;
const long = { timeout: 900_000, skip } as const;
const repository = `nodewright/upgrade-test-${process.pid}`;
const dist = join(checkout, '_out', 'dist');
let home: string;
let cluster: DockerCluster;

interface Programs {
  readonly version: string;
  /** A program that runs before that of machined. */
  readonly prologue?: string;
}

/** Makes an image of a node with the programs of this build. */
async function makeImage({ version, prologue = '' }: Programs): Promise<string> {
  const image = `${repository}:${version}`;
  const container = (await runDocker(['create', nodeImage])).trim();
  try {
    for (const name of ['machined', 'apid', 'trustd', 'registryd', 'udevd-bridge'])
      await runDocker(['cp', `${join(dist, name)}/.`, `${container}:/usr/lib/nodewright/${name}`]);
    const text = readFileSync(join(dist, 'machined', 'machined.cjs'), 'utf8');
    const parts = text.split(JSON.stringify(buildInfo.tag));
    assert.equal(parts.length, 2, 'the program says its version in one place');
    const program = join(home, 'machined.cjs');
    writeFileSync(program, prologue + parts.join(JSON.stringify(version)), { mode: 0o755 });
    await runDocker(['cp', program, `${container}:/usr/lib/nodewright/machined/machined.cjs`]);
    await runDocker(['commit', container, image]);
  } finally {
    await tryDocker(['rm', '--volumes', container]);
  }
  scope.defer(async () => void (await tryDocker(['rmi', '--force', image])));
  return image;
}

/** Writes an artefact with such an image, signed with the key of this build. */
async function makeArtefact(init: Programs): Promise<string> {
  const image = await makeImage(init);
  const folder = join(home, 'artefacts', init.version);
  mkdirSync(folder, { recursive: true });
  const saved = join(folder, 'node-image.tar');
  await runDocker(['save', '--output', saved, image]);
  const content = readFileSync(saved);
  rmSync(saved);
  await runDocker(['rmi', image]);
  const artefact = testArtefact({
    signer: secureBootKey(keysFolder(checkout)),
    files: [{ 'container/node-image.tar': content }],
    platform: platformOfNode(process.arch),
    describe: () => ({
      version: init.version,
      rootHash: createHash('sha256').update(content).digest('hex'),
    }),
  });
  const archive = join(folder, 'installer.tar');
  writeFileSync(archive, layoutArchiveOf(artefact));
  return archive;
}

before(async () => {
  if (skip !== false) return;
  home = scope.use(await openHome()).path;
  const first = await makeImage({ version: buildInfo.tag });
  cluster = scope.use(
    await openNodeImageCluster({ controlPlanes: 1, workers: 0 }, { flags: ['--node-image', first] }),
  );
});

const call = (...words: string[]) => cluster.talosctl('-n', 'node01', ...words);

async function done(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await call(...words);
  const text = `${words.join(' ')}: ${stdout}${stderr}`;
  assert.equal(exitCode, 0, text);
  return text;
}

async function runs(version: string, state: string): Promise<void> {
  let text = '';
  await eventually(
    async () => {
      const outputs = [await call('version'), await call('get', 'upgradestatuses')];
      text = outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
      return text.includes(`Tag:         ${version}`) && text.includes(state);
    },
    { what: `${version}, ${state}`, timeoutMs, explain: () => text },
  );
}

async function imported(init: Programs): Promise<string> {
  const archive = await makeArtefact(init);
  const text = await done('image', 'import', '--namespace', 'system', archive);
  rmSync(archive);
  const [name] = /localhost\/installer:\S+/.exec(text) ?? [];
  assert.ok(name !== undefined, text);
  return name;
}

/** What its container may do and has. */
async function rights(): Promise<unknown> {
  const [found] = JSON.parse(await runDocker(['container', 'inspect', cluster.containerOf('node01')]));
  const { HostConfig, Mounts, NetworkSettings } = found;
  const { Memory, CapAdd, CapDrop, SecurityOpt, ReadonlyRootfs, Tmpfs, PortBindings, Privileged } =
    HostConfig;
  const mounts = Mounts.map(({ Name, Destination }: Record<string, string>) => [Destination, Name]).sort();
  const addresses = Object.values(NetworkSettings.Networks as Record<string, { IPAddress: string }>);
  return {
    ...{ Memory, CapAdd, CapDrop, SecurityOpt, ReadonlyRootfs, Tmpfs, PortBindings, Privileged, mounts },
    addresses: addresses.map(({ IPAddress }) => IPAddress),
  };
}

test(
  'a node that is one container is upgraded with the same volumes, address and rights, and rolled back',
  long,
  async () => {
    await runs(buildInfo.tag, 'A      confirmed');
    const refused = await call('reboot', '--wait=false');
    assert.match(refused.stderr, /not supported in container mode/);
    const before = await rights();
    const members = await done('etcd', 'members');
    const local = await imported({ version: 'v1.14.7' });
    await done('upgrade', '--image', local, '--drain=false');
    await runs('v1.14.7', 'B      confirmed');
    assert.deepEqual(await rights(), before);
    assert.equal(await done('etcd', 'members'), members, 'its data stay');
    await using client = await cluster.client();
    const { messages } = await client.node('node01').machine.version({});
    assert.equal(messages[0]?.platform?.mode, 'container');
    await done('rollback');
    await runs(buildInfo.tag, 'A      confirmed');
    assert.deepEqual(await rights(), before);
  },
);

test('a system whose machined ends is given up, and the one before it runs', long, async () => {
  const local = await imported({ version: 'v1.14.8', prologue: 'process.exit(7);' });
  await call('upgrade', '--image', local, '--drain=false', '--wait=false');
  let text = '';
  await eventually(
    async () => {
      text = (await call('get', 'upgradestatuses', '-o', 'yaml')).stdout;
      return /reason: .*it was not started, or it stopped before its machined ran/.test(text);
    },
    { what: 'the reason', timeoutMs, explain: () => text },
  );
  await runs(buildInfo.tag, 'A      confirmed');
});

test(
  'a choice that a node forges starts nothing: an artefact that it does not have, and words for the engine',
  long,
  async () => {
    const container = cluster.containerOf('node01');
    const wishes = [
      { default: 'A', once: 'B', systems: { A: 'created', B: `sha256:${'0'.repeat(64)}` } },
      { default: 'A', once: 'B', systems: { A: 'created', B: '--privileged' } },
    ];
    for (const wish of wishes) {
      const program = `require('fs').writeFileSync('/system/state/systems/choice.json', ${JSON.stringify(JSON.stringify(wish))})`;
      await runDocker(['exec', container, '/usr/bin/node', '-e', program]);
      const before = await runDocker([
        'container',
        'inspect',
        '--format',
        '{{.Image}} {{.Config.Image}}',
        container,
      ]);
      await runDocker(['kill', container]);
      await runs(buildInfo.tag, 'A      confirmed');
      const format = '{{.Image}} {{.Config.Image}}';
      assert.equal(await runDocker(['container', 'inspect', '--format', format, container]), before);
    }
  },
);

test('a container that somebody has started has no keeper, and says what to do', long, async () => {
  await using node = await startWholeNode({ isConfigured: true, image: `${repository}:${buildInfo.tag}` });
  await node.runs('apid', 'machined');
  for (const words of [['upgrade', '--image', 'registry.test/installer:v1', '--legacy'], ['rollback']]) {
    const { exitCode, stderr } = await node.talosctl(...words);
    assert.notEqual(exitCode, 0);
    assert.match(
      stderr,
      /not supported in container mode: nothing here starts another image; start a container of the new one/,
    );
  }
});

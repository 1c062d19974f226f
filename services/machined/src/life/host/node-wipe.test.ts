import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createNodeWipe, type WipePlaces } from './node-wipe.ts';

/** A node with files on each of its volumes, and a link to a file outside of them. */
function openNode() {
  const root = mkdtempSync(join(tmpdir(), 'node-wipe-'));
  const state = join(root, 'system', 'state');
  const ephemeral = join(root, 'var');
  const outside = join(root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), 'kept');
  mkdirSync(state, { recursive: true });
  for (const name of ['config.yaml', 'meta.json', 'node-identity.yaml', 'config.yaml.new'])
    writeFileSync(join(state, name), name);
  const data = join(ephemeral, 'lib', 'etcd', 'member');
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'log'), 'log');
  mkdirSync(join(ephemeral, 'log'));
  writeFileSync(Buffer.concat([Buffer.from(`${ephemeral}/log/`), Buffer.from([0xff, 0x2e])]), 'raw');
  symlinkSync(outside, join(ephemeral, 'link'));
  const secrets = join(root, 'system', 'secrets');
  mkdirSync(join(secrets, 'etcd'), { recursive: true });
  writeFileSync(join(secrets, 'etcd', 'server.key'), 'key');
  const places: WipePlaces = {
    ...{ state, ephemeral, meta: join(state, 'meta.json'), secrets },
    given: [join(state, 'members.json')],
    ownsMounts: false,
    mounted: [],
  };
  return {
    places,
    root,
    state: () => readdirSync(state).sort(),
    ephemeral: () => readdirSync(ephemeral).sort(),
    secrets: () => readdirSync(secrets),
    isOutsideKept: () => existsSync(join(outside, 'kept')),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const oldState = ['config.yaml', 'config.yaml.new', 'meta.json', 'node-identity.yaml'];
const oldEphemeral = ['lib', 'link', 'log'];

test('a wipe empties the volumes, follows no link, and is reported once by the next start', async () => {
  using node = openNode();
  chmodSync(join(node.places.ephemeral, 'lib', 'etcd'), 0o000);
  await createNodeWipe(node.places).wipe(['META', 'STATE', 'EPHEMERAL']);
  assert.deepEqual([node.state(), node.ephemeral(), node.secrets()], [['.wipe'], [], []]);
  // Files that the old node still writes until its process has ended are removed too.
  writeFileSync(join(node.places.state, 'config.yaml'), 'late');
  const next = createNodeWipe(node.places);
  assert.deepEqual(await next.finish(), ['META', 'STATE', 'EPHEMERAL']);
  assert.deepEqual([node.state(), node.ephemeral(), node.isOutsideKept()], [[], [], true]);
  assert.equal(await next.finish(), undefined);
});

test('a wipe empties folders that are mounted elsewhere, and does not remove them', async () => {
  using node = openNode();
  const { ephemeral } = node.places;
  const mounted = join(ephemeral, 'system', 'kubernetes');
  mkdirSync(join(mounted, 'pki'), { recursive: true });
  writeFileSync(join(mounted, 'pki', 'ca.crt'), 'old');
  writeFileSync(join(ephemeral, 'system', 'other'), 'old');
  // A mount shows this inode: in a new folder of the same name the kubelet would find nothing, and in this one it could create nothing.
  const { ino } = statSync(mounted);
  const wipe = createNodeWipe({ ...node.places, mounted: [mounted, join(ephemeral, 'never', 'made')] });
  await wipe.wipe(['EPHEMERAL']);
  await wipe.finish();
  assert.deepEqual(
    [readdirSync(ephemeral), readdirSync(join(ephemeral, 'system'))],
    [['system'], ['kubernetes']],
  );
  assert.deepEqual([readdirSync(mounted), statSync(mounted).ino], [[], ino]);
});

test('a wipe of some volumes keeps the others', async () => {
  const cases = [
    [['EPHEMERAL'], oldState, []],
    [['META'], oldState.filter((name) => name !== 'meta.json'), oldEphemeral],
    [['STATE'], ['meta.json'], oldEphemeral],
  ] as const;
  for (const [volumes, state, ephemeral] of cases) {
    using node = openNode();
    await createNodeWipe(node.places).wipe(volumes);
    await createNodeWipe(node.places).finish();
    assert.deepEqual([node.state(), node.ephemeral()], [state, ephemeral]);
  }
});

test('a node whose wipe request cannot be read is unchanged', async () => {
  using node = openNode();
  for (const text of ['', '{"volumes":["BOOT"]}', 'null']) {
    writeFileSync(join(node.places.state, '.wipe'), text);
    await assert.rejects(createNodeWipe(node.places).finish(), {
      kind: 'data-loss',
      message: `"${node.places.state}/.wipe" is damaged: it is unknown whether this node was to be wiped`,
    });
    assert.deepEqual(node.state(), ['.wipe', ...oldState]);
  }
});

test('a wipe that is killed at any step leaves the old node or a wiped one', { timeout: 120_000 }, () => {
  const source = (part: string) => pathToFileURL(join(import.meta.dirname, part)).href;
  const preload = source('../../base/testing/kill-at-step.ts');
  const run = (node: ReturnType<typeof openNode>, call: string, step: number) => {
    const script = `
      import { createNodeWipe } from ${JSON.stringify(source('node-wipe.ts'))};
      await createNodeWipe(${JSON.stringify(node.places)}).${call};`;
    return spawnSync(process.execPath, ['--import', preload, '--input-type=module', '-e', script], {
      env: { ...process.env, KILL_AT_STEP: String(step), KILL_AT_PATH: node.root },
      encoding: 'utf8',
    });
  };
  const never = 1_000_000;
  let outcomes = '';
  for (let step = 1; ; step++) {
    using node = openNode();
    const killed = run(node, "wipe(['META', 'STATE', 'EPHEMERAL'])", step);
    if (killed.signal === null) {
      assert.equal(killed.status, 0, killed.stderr);
      break;
    }
    // The next start may be killed, too.
    run(node, 'finish()', 1 + (step % 9));
    const finished = run(node, 'finish()', never);
    assert.equal(finished.status, 0, finished.stderr);
    const found = node.state().filter((name) => name !== '.wipe.new');
    const isOld = found.length === oldState.length && node.ephemeral().length === oldEphemeral.length;
    const isWiped = node.state().length === 0 && node.ephemeral().length === 0;
    assert.ok(isOld || isWiped, `step ${step}: ${node.state()} ${node.ephemeral()}`);
    assert.ok(node.isOutsideKept());
    outcomes += isOld ? 'o' : 'w';
  }
  // Both outcomes were seen, and never the old node after a wiped one.
  assert.match(outcomes, /^o{3,}w{3,}$/);
});

test("a wipe of STATE keeps the files of the cluster's creator", async () => {
  using node = openNode();
  writeFileSync(join(node.places.state, 'members.json'), '{}');
  await createNodeWipe(node.places).wipe(['META', 'STATE']);
  await createNodeWipe(node.places).finish();
  assert.deepEqual(node.state(), ['members.json']);
});

const lacksMounts = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status !== 0;

test('a wipe leaves what is mounted inside of a volume, unless the mounts belong to the node', {
  skip: lacksMounts && 'this host allows no mounts',
}, () => {
  const left = (ownsMounts: boolean) => {
    using node = openNode();
    const { ephemeral } = node.places;
    const mount = join(ephemeral, 'lib', 'data');
    mkdirSync(mount);
    const program = `
      import { existsSync } from 'node:fs';
      import { createNodeWipe } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'node-wipe.ts')).href)};
      const wipe = createNodeWipe(${JSON.stringify({ ...node.places, ownsMounts })});
      await wipe.wipe(['EPHEMERAL']);
      await wipe.finish();
      process.stdout.write(String(existsSync(${JSON.stringify(join(mount, 'file'))})));`;
    const script =
      'mount -t tmpfs tmpfs "$1" && echo data > "$1/file" && exec "$2" --input-type=module -e "$3"';
    const words = ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', mount, process.execPath, program];
    const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
    return `${stdout}${stderr} ${node.ephemeral().join()}`;
  };
  assert.deepEqual([left(false), left(true)], ['true lib', 'false lib']);
});

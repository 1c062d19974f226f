import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { clusterFolder } from '../../cluster/cluster-folder.ts';
import { writePrivateFile } from '../../cluster/write-private-file.ts';
import { encodeClusterState } from '../../domain/cluster-state.ts';
import { openTemporaryFolder } from '../../testing/temporary-folder.ts';

/** A program `docker` whose engine has one container, one network and one volume, and which records its commands. */
const dockerProgram = (engine: string) => `#!/bin/sh
cd '${engine}'
echo "$*" >> commands
case "$1 $2" in
  'ps '*) [ -e removed ] || echo c1 ;;
  'container inspect') cat inspected ;;
  'events '*) exec sleep 1000 ;;
  'rm '*) : > removed ;;
  'network ls'|'volume ls') [ -e removed ] || echo one ;;
esac
`;

const inspected = JSON.stringify([
  {
    ...{ Id: 'c1', RestartCount: 0 },
    Config: { Image: 'image', Labels: { 'com.docker.compose.service': 'node01' } },
    State: { Running: true, Restarting: false, Pid: 1, ExitCode: 0, StartedAt: '' },
  },
]);

const state = encodeClusterState({
  ...{ provisioner: 'docker', name: 'c', phase: 'created', patchDigest: '', nodes: [] },
  shape: { controlPlanes: 1, workers: 0 },
  stack: { tag: 'dev', jaegerPort: 0, otlpPort: 0, publishedPorts: {}, engine: {} },
});

const isRoot = process.getuid?.() === 0;
/** The user `nobody`: modes of folders do not bind root. */
const nobody = 65_534;

interface KeeperInit {
  /** Runs before the keeper, which replaces it with `exec`, with the paths of the volume and of its mount as `$1` and `$2`. */
  readonly through?: readonly string[];
  readonly isNobody?: boolean;
  /** A file below the folder of the cluster that is there before. */
  readonly left?: string;
}

/** Starts the real keeper of a cluster in `<home>/clone/clusters/c`, and waits until it follows the engine. */
async function startKeeper({ through = [], isNobody = false, left }: KeeperInit = {}) {
  const scope = new AsyncDisposableStack();
  const home = scope.use(await openTemporaryFolder());
  const engine = join(home.path, 'engine');
  const clone = join(home.path, 'clone');
  const folder = clusterFolder(join(clone, 'clusters', 'c'));
  // A mount comes from a folder beside its place.
  const source = through.length === 0 ? clone : join(home.path, 'volume');
  const own = join(source, 'clusters', 'c');
  for (const path of [engine, clone, own]) mkdirSync(path, { recursive: true });
  writeFileSync(join(own, 'state.yaml'), state);
  if (left !== undefined) {
    mkdirSync(dirname(join(own, left)), { recursive: true });
    writeFileSync(join(own, left), '');
  }
  writeFileSync(join(engine, 'docker'), dockerProgram(engine), { mode: 0o755 });
  writeFileSync(join(engine, 'inspected'), inspected);
  if (isNobody) {
    chmodSync(home.path, 0o755);
    for (const path of [engine, own]) chownSync(path, nobody, nobody);
  }
  const words = [...through, process.execPath, join(import.meta.dirname, 'main.ts'), '--folder', folder.path];
  const [program = '', ...args] = words.map((word) =>
    word.replace('{source}', source).replace('{clone}', clone),
  );
  const keeper = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${engine}${delimiter}${process.env.PATH}` },
    ...(isNobody ? { uid: nobody, gid: nobody } : {}),
  });
  const exited = once(keeper, 'close');
  scope.defer(async () => {
    keeper.kill('SIGKILL');
    await exited;
  });
  let output = '';
  for (const stream of [keeper.stdout, keeper.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const commands = () => readFileSync(join(engine, 'commands'), 'utf8').split('\n');
  await eventually(() => commands().some((line) => line.startsWith('events ')), {
    what: 'keeper that follows the engine',
    explain: () => output,
  });
  return {
    ...{ home: home.path, clone, folder, pid: keeper.pid ?? 0 },
    /** Waits until the keeper has ended by itself. */
    async end() {
      const [code] = await exited;
      const removals = commands().filter((line) => /^(rm|rmi|network rm|volume rm) /.test(line));
      return { code, removals, output };
    },
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

test('the keeper removes the objects of a cluster whose folder was removed', async () => {
  await using keeper = await startKeeper();
  rmSync(keeper.clone, { recursive: true });
  const { code, removals, output } = await keeper.end();
  assert.deepEqual(
    [code, removals],
    [0, ['rm --force --volumes c1', 'network rm one', 'volume rm one']],
    output,
  );
});

test('the keeper of a cluster whose clone was moved ends with a reason and removes nothing', async () => {
  await using keeper = await startKeeper();
  // The file that it read has no link any more.
  await writePrivateFile(keeper.folder.state, state);
  renameSync(keeper.clone, join(keeper.home, 'moved'));
  const { code, removals, output } = await keeper.end();
  assert.deepEqual([code, removals], [0, []], output);
  assert.ok(
    output.includes(`the folder was moved to ${join(keeper.home, 'moved', 'clusters', 'c')}`),
    output,
  );
});

test('the keeper of a cluster whose folder cannot be read ends with a reason and removes nothing', async () => {
  await using keeper = await startKeeper({ isNobody: isRoot });
  chmodSync(keeper.clone, 0o000);
  const { code, removals, output } = await keeper.end();
  chmodSync(keeper.clone, 0o755);
  assert.deepEqual([code, removals], [0, []], output);
  assert.match(output, /the folder cannot be read: EACCES/);
});

test('a keeper removes what one that was killed has left of an artefact', async () => {
  await using keeper = await startKeeper({ left: 'scratch/node01/node-image.tar' });
  assert.ok(!existsSync(keeper.folder.scratch));
});

const noMounts =
  isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0
    ? false
    : 'a mount namespace needs root and unshare';

test('the keeper of a cluster whose file system was unmounted ends with a reason and removes nothing', {
  skip: noMounts,
}, async () => {
  const mount = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  await using keeper = await startKeeper({
    through: ['unshare', '--mount', '/bin/sh', '-c', mount, 'sh', '{source}', '{clone}'],
  });
  const enter = ['--mount', `--target=${keeper.pid}`];
  // The keeper itself has the file system open.
  const unmounted = spawnSync('nsenter', [...enter, 'umount', '--lazy', keeper.clone], { encoding: 'utf8' });
  assert.equal(unmounted.status, 0, unmounted.stderr);
  const { code, removals, output } = await keeper.end();
  assert.deepEqual([code, removals], [0, []], output);
  assert.match(output, /not known to be removed: its file system was unmounted/);
});

// `talosctl kubeconfig`: where it writes, and what happens to a kubeconfig that exists.
import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseKubeconfig } from '@nodewright/client/kubeconfig';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import { pack } from 'tar-stream';
import type { FakeCall } from './fake-gateway.ts';
import { controlC, runAtTerminal } from './run-at-terminal.ts';
import { openSuite } from './suite.ts';

const kubeconfig = (server: string, cluster = 'alpha') => `apiVersion: v1
kind: Config
clusters: [{ name: ${cluster}, cluster: { server: "${server}" } }]
users: [{ name: admin@${cluster}, user: { client-key-data: "S0VZ" } }]
contexts: [{ name: admin@${cluster}, context: { cluster: ${cluster}, user: admin@${cluster}, namespace: default } }]
current-context: admin@${cluster}
`;

async function archive(text: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: 'kubeconfig' }, text);
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part as Buffer);
  return gzipSync(Buffer.concat(parts));
}

let calls = 0;
/** What a hostile node sends. */
let sent: string | undefined;
/** How many clients must have called before any of them is answered. */
let together = 1;
let waiting: (() => void)[] = [];
async function meet(): Promise<void> {
  const met = new Promise<void>((resolve) => waiting.push(resolve));
  if (waiting.length === together) {
    for (const go of waiting) go();
    waiting = [];
  }
  await met;
}
const suite = openSuite({
  '/machine.MachineService/Kubeconfig': async (call: FakeCall) => {
    calls += 1;
    if (call.node === 'worker') return call.fail(12, 'kubeconfig is only available on control plane nodes');
    await meet();
    const cluster = call.node === 'node02' ? 'beta' : 'alpha';
    const text = sent ?? kubeconfig('https://a:6443', cluster);
    call.send(Data.encode(Data.fromPartial({ bytes: await archive(text) })).finish());
    call.end();
  },
});

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
const run = (words: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd?: string) =>
  suite.talosctl.run(['-n', 'node01', 'kubeconfig', ...words], {
    environment: { TALOSCONFIG: suite.talosconfig, ...environment },
    ...(cwd && { cwd }),
  });
const read = async (path: string) => parseKubeconfig(await readFile(path, 'utf8'), path);

test('without a path it writes the file of KUBECONFIG, or ~/.kube/config, which only the user can read', async () => {
  const [home, other] = [await newFolder(), join(await newFolder(), 'deep', 'file')];
  assert.deepEqual(await run([], { HOME: home }), { stdout: '', stderr: '', exitCode: 0 });
  const path = join(home, '.kube', 'config');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal((await read(path)).currentContext, 'admin@alpha');
  assert.equal((await run([], { HOME: home, KUBECONFIG: other })).exitCode, 0);
  assert.equal((await read(other)).clusters[0]?.name, 'alpha');
  const several = await run([], { KUBECONFIG: `${path}:${other}` });
  assert.match(several.stderr, /KUBECONFIG names 2 files/);
  assert.equal(several.exitCode, 1);
});

test('it merges, renames what clashes, and says so', async () => {
  const path = join(await newFolder(), 'config');
  await writeFile(path, `${kubeconfig('https://other:6443')}extensions: [kept]\n`);
  const { stdout, stderr, exitCode } = await run([path]);
  assert.deepEqual([stderr, exitCode], ['', 0]);
  assert.equal(
    stdout,
    'renamed cluster "alpha" -> "alpha-1"\nrenamed auth info "admin@alpha" -> "admin@alpha-1"\nrenamed context "admin@alpha" -> "admin@alpha-1"\n',
  );
  const merged = await read(path);
  assert.deepEqual(
    [merged.clusters.map(({ name }) => name), merged.currentContext, merged.others.extensions],
    [['alpha', 'alpha-1'], 'admin@alpha-1', ['kept']],
  );
  const again = await run([path, '--force', '--force-context-name', 'lab', '-o', 'json']);
  assert.deepEqual(JSON.parse(again.stdout), {
    ...{ node: 'node01', path, merged: true, context: 'lab' },
    renamed: [{ part: 'context', from: 'admin@alpha', to: 'lab' }],
  });
});

test('an existing file is not replaced without --force, and not touched when it is no kubeconfig', async () => {
  const folder = await newFolder();
  const path = join(folder, 'config');
  await writeFile(path, 'mine');
  const before = calls;
  const kept = await run([path, '--merge=false']);
  assert.deepEqual([kept.exitCode, await readFile(path, 'utf8')], [1, 'mine']);
  assert.match(kept.stderr, /exists: add flag --force/);
  const wrong = await run([path]);
  assert.match(wrong.stderr, /is no kubeconfig/);
  assert.deepEqual([wrong.exitCode, await readFile(path, 'utf8'), calls], [1, 'mine', before]);
  assert.equal((await run([path, '--merge=false', '--force'])).exitCode, 0);
  assert.equal((await read(path)).currentContext, 'admin@alpha');
});

test('without merging it writes to the working directory, into a folder, or to standard output', async () => {
  const folder = await newFolder();
  assert.equal((await run(['--merge=false'], {}, folder)).exitCode, 0);
  assert.equal((await read(join(folder, 'kubeconfig'))).currentContext, 'admin@alpha');
  await mkdir(join(folder, 'sub'));
  assert.equal((await run([join(folder, 'sub')])).exitCode, 0);
  assert.equal((await read(join(folder, 'sub', 'kubeconfig'))).currentContext, 'admin@alpha');
  const shown = await run(['-', '--merge=false']);
  assert.deepEqual(
    [parseKubeconfig(shown.stdout, 'it'), shown.exitCode],
    [parseKubeconfig(`${kubeconfig('https://a:6443')}preferences: {}\n`, 'it'), 0],
  );
  assert.match((await run(['-'])).stderr, /--merge=false/);
});

test('it asks one node, and reports its refusal', async () => {
  const path = join(await newFolder(), 'config');
  const several = await suite.run('kubeconfig', path);
  assert.match(several.stderr, /works on one node/);
  const refused = await suite.run('-n', 'worker', 'kubeconfig', path);
  assert.deepEqual([refused.stdout, refused.exitCode], ['', 1]);
  assert.match(refused.stderr, /only available on control plane nodes/);
  await assert.rejects(stat(path));
});

/** Runs the command at a terminal. */
const ask = (path: string, reactions: readonly string[], ...words: string[]) =>
  runAtTerminal(['-n', 'node01', 'kubeconfig', path, ...words], {
    ...{ environment: { TALOSCONFIG: suite.talosconfig }, cwd: '/nowhere', reactions },
  });

test('an interrupt at any of its questions writes nothing, and a document says so', async () => {
  const folder = await newFolder();
  const path = join(folder, 'config');
  const mine = kubeconfig('https://other:6443').replace('S0VZ', 'T1RIRVI=');
  await writeFile(path, mine);
  for (const reactions of [[controlC], ['o', controlC], ['r', controlC]]) {
    const { stderr, exitCode } = await ask(path, reactions);
    assert.equal(exitCode, 130, stderr);
    assert.match(stderr, /: nothing was done\n$/);
    const shown = await ask(path, reactions, '-o', 'json');
    assert.equal(JSON.parse(shown.stdout).error.code, 'Canceled');
    assert.deepEqual([await readdir(folder), await readFile(path, 'utf8')], [['config'], mine]);
  }
  const agreed = await ask(path, ['o', 'overwrite']);
  assert.deepEqual([agreed.stdout, agreed.exitCode], ['', 0], agreed.stderr);
  assert.deepEqual(await read(path), parseKubeconfig(kubeconfig('https://a:6443'), 'it'));
});

test('what a node sends is rebuilt, or refused before anything is written or printed', async (t) => {
  t.after(() => {
    sent = undefined;
  });
  const path = join(await newFolder(), 'config');
  const usual = kubeconfig('https://a:6443');
  sent = `# from the node\n${usual}`;
  const shown = await run(['-', '--merge=false']);
  assert.equal(shown.exitCode, 0);
  assert.doesNotMatch(shown.stdout, /from the node/);
  for (const [user, key] of [
    ['{ <<: { exec: { command: touch } } }', '"<<"'],
    ['{ tokenFile: /etc/passwd }', '"tokenFile"'],
    ['{ exec: { command: touch } }', '"exec"'],
  ] as const) {
    sent = usual.replace(/user: {[^}]*}/, `user: ${user}`);
    for (const words of [[path], ['-', '--merge=false']]) {
      const { stdout, stderr, exitCode } = await run(words);
      assert.deepEqual([stdout, exitCode], ['', 1]);
      assert.ok(stderr.includes(key), stderr);
    }
  }
  await assert.rejects(stat(path));
});

test('a context that leads to another server is replaced only after a question, or with --force', async (t) => {
  t.after(() => {
    sent = undefined;
  });
  const path = join(await newFolder(), 'config');
  const prod = kubeconfig('https://prod:6443', 'prod');
  const targets = async () => {
    const { contexts, currentContext } = await read(path);
    return [contexts.map(({ name, context }) => `${name} ${context.cluster}`), currentContext];
  };
  sent = kubeconfig('https://a:6443', 'evil')
    .replace('contexts: [{ name: admin@evil', 'contexts: [{ name: admin@prod')
    .replace('current-context: admin@evil', 'current-context: admin@prod');
  sent = sent.replaceAll('admin@evil', 'evil');
  await writeFile(path, prod);
  const quiet = await run([path]);
  assert.deepEqual([quiet.exitCode, quiet.stdout], [0, 'renamed context "admin@prod" -> "admin@prod-1"\n']);
  assert.deepEqual(await targets(), [['admin@prod prod', 'admin@prod-1 evil'], 'admin@prod-1']);

  const named = await run([path, '--force-context-name', 'admin@prod']);
  assert.equal(named.exitCode, 1);
  assert.match(named.stderr, /context "admin@prod" leads to another server or authority: add flag --force/);
  const words = ['--force-context-name', 'admin@prod'];
  const asked = await ask(path, ['rename'], ...words);
  assert.match(asked.stderr, /context "admin@prod" leads to another server or authority \[\(r\)ename/);
  assert.deepEqual((await targets())[0]?.[0], 'admin@prod prod');
  assert.equal((await ask(path, ['overwrite'], ...words)).exitCode, 0);
  assert.equal((await targets())[0]?.[0], 'admin@prod evil');
  await writeFile(path, prod);
  assert.equal((await run([path, '--force', ...words])).exitCode, 0);
  assert.equal((await targets())[0]?.[0], 'admin@prod evil');
});

test('an entry that another program changed during the question is not overwritten', async () => {
  const path = join(await newFolder(), 'config');
  await writeFile(path, kubeconfig('https://seen:6443'));
  const reactions = {
    async *[Symbol.asyncIterator]() {
      await writeFile(path, kubeconfig('https://later:6443'));
      yield 'o';
    },
  };
  const { stdout, exitCode } = await runAtTerminal(['-n', 'node01', 'kubeconfig', path], {
    ...{ environment: { TALOSCONFIG: suite.talosconfig }, cwd: '/nowhere', reactions },
  });
  assert.equal(exitCode, 0);
  assert.match(stdout, /^renamed cluster "alpha" -> "alpha-1"$/m);
  const servers = (await read(path)).clusters.map(({ name, cluster }) => [name, cluster]);
  assert.deepEqual(servers, [
    ['alpha', { server: 'https://later:6443' }],
    ['alpha-1', { server: 'https://a:6443' }],
  ]);
});

test('two runs at the same time lose no cluster, whether the file existed or not', async () => {
  for (const before of [undefined, kubeconfig('https://g:6443', 'gamma')]) {
    const folder = await newFolder();
    const path = join(folder, 'config');
    if (before !== undefined) await writeFile(path, before);
    together = 2;
    const environment = { TALOSCONFIG: suite.talosconfig };
    const runs = ['node01', 'node02'].map((node) =>
      suite.talosctl.run(['-n', node, 'kubeconfig', path], { environment }),
    );
    for (const { stderr, exitCode } of await Promise.all(runs)) assert.equal(exitCode, 0, stderr);
    together = 1;
    const names = (await read(path)).clusters.map(({ name }) => name).sort();
    assert.deepEqual(names, ['alpha', 'beta', ...(before === undefined ? [] : ['gamma'])]);
    assert.deepEqual(await readdir(folder), ['config']);
  }
});

test('a symbolic link stays, and its target is written, also when that does not exist yet', async () => {
  const [folder, other] = [await newFolder(), await newFolder()];
  const [link, target] = [join(folder, 'config'), join(other, 'kube')];
  await symlink(target, link);
  for (const node of ['node01', 'node02']) {
    const { stderr, exitCode } = await suite.run('-n', node, 'kubeconfig', link);
    assert.equal(exitCode, 0, stderr);
  }
  assert.ok((await lstat(link)).isSymbolicLink());
  assert.deepEqual(
    (await read(target)).clusters.map(({ name }) => name),
    ['alpha', 'beta'],
  );
  assert.deepEqual([await readdir(folder), await readdir(other)], [['config'], ['kube']]);
});

test('the entries of others keep their text when a cluster is added', async () => {
  const path = join(await newFolder(), 'config');
  const others = `# mine
apiVersion: v1
kind: Config
clusters:
  - name: gamma
    cluster: {server: "https://g:6443"} # by hand
users:
  - name: me
    user:
      username: me
      password: 0012345678901234567890
      pin: 1.10
contexts: []
current-context: ""
`;
  await writeFile(path, others);
  assert.equal((await run([path])).exitCode, 0);
  const text = await readFile(path, 'utf8');
  for (const kept of [/^# mine$/m, /# by hand$/m, /^ +password: 0012345678901234567890$/m, /^ +pin: 1\.10$/m])
    assert.match(text, kept);
  assert.deepEqual(
    (await read(path)).users.map(({ name }) => name),
    ['me', 'admin@alpha'],
  );
});

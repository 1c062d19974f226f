// `talosctl kubeconfig`: where it writes, and what happens to a kubeconfig that exists.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseKubeconfig } from '@nodewright/client/kubeconfig';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import { pack } from 'tar-stream';
import type { FakeCall } from './fake-gateway.ts';
import { openSuite } from './suite.ts';

const kubeconfig = (server: string) => `apiVersion: v1
kind: Config
clusters: [{ name: alpha, cluster: { server: "${server}" } }]
users: [{ name: admin@alpha, user: { client-key-data: "S0VZ" } }]
contexts: [{ name: admin@alpha, context: { cluster: alpha, user: admin@alpha, namespace: default } }]
current-context: admin@alpha
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
const suite = openSuite({
  '/machine.MachineService/Kubeconfig': async (call: FakeCall) => {
    calls += 1;
    if (call.node === 'worker') return call.fail(12, 'kubeconfig is only available on control plane nodes');
    call.send(Data.encode(Data.fromPartial({ bytes: await archive(kubeconfig('https://a:6443')) })).finish());
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
  assert.deepEqual([shown.stdout, shown.exitCode], [kubeconfig('https://a:6443'), 0]);
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

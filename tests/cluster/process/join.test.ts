// A node that was reset: what a command says about it, and how it becomes a member again with the configuration that was kept for it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, startLoneNode } from '@nodewright/testkit';
import { parse } from 'yaml';
import { checkout } from '../run-talosctl.ts';
import { openProcessCluster, type ProcessCluster, type ProcessNode } from './process-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
before(async () => {
  cluster = scope.use(await openProcessCluster({ controlPlanes: 1, workers: 1 }));
});
after(() => scope.disposeAsync());

const otherUser = 65_534;
const labels = ['STATE', 'EPHEMERAL'].flatMap((label) => ['--system-labels-to-wipe', label]);
const joinNode = (node: string, ...words: string[]) =>
  cluster.talosctl('cluster', 'join', '--name', 'test', node, ...words);

test('a reset node says that it is in maintenance, and joins with its kept configuration, which nobody else can read', async () => {
  const [node] = cluster.workers as [ProcessNode];
  const kept = join(cluster.view.folder, `${node.name}.yaml`);
  const configuration = await readFile(kept, 'utf8');
  assert.equal((await stat(kept)).mode & 0o777, 0o600);
  assert.equal(configuration, await readFile(join(node.root, 'system', 'state', 'config.yaml'), 'utf8'));
  if (process.getuid?.() === 0) {
    const { status } = spawnSync('cat', [kept], { uid: otherUser, gid: otherUser });
    assert.equal(status, 1);
  }

  const early = await joinNode(node.name);
  assert.equal(early.exitCode, 1);
  assert.match(
    early.stderr,
    /^error: node02 has a configuration already: only a node that was reset can join/m,
  );

  const reset = await cluster.talosctl(
    ...['reset', '-n', node.name, '--reboot', '--graceful=false', '--yes', ...labels],
  );
  assert.equal(reset.exitCode, 0, reset.stderr);
  for (const name of [node.name, node.address]) {
    const advice = '"talosctl cluster join node02" gives it its configuration';
    let last = '';
    const saysSo = async () => {
      const { exitCode, stderr } = await cluster.talosctl('-n', name, 'version');
      assert.equal(exitCode, 1);
      last = stderr;
      return stderr.trimEnd().split('\n').at(-1) === `node02 is in maintenance: ${advice}`;
    };
    // For some seconds the control plane still lists the node as it was, and does not dial it again.
    await eventually(saysSo, { what: 'word of the maintenance', explain: () => last });
    assert.doesNotMatch(last, /did you mean/);
  }

  await rename(kept, `${kept}.away`);
  const missing = await joinNode(node.name);
  await rename(`${kept}.away`, kept);
  assert.equal(missing.exitCode, 1);
  assert.ok(
    missing.stderr.includes(
      `error: the configuration of node02 was not kept in ${kept}: the file does not exist; generate one with`,
    ),
    missing.stderr,
  );

  const joined = await joinNode(node.name, '-o', 'json');
  assert.equal(joined.exitCode, 0, joined.stderr);
  assert.equal(JSON.parse(joined.stdout).name, 'test');
  assert.match(joined.stderr, /^node02 is a member \d+\.\ds$/m);
  const { token, ca } = parse(configuration.split('\n---\n')[0] ?? '').machine;
  for (const { stdout, stderr } of [early, missing, joined])
    for (const secret of [token, ca.crt]) assert.ok(!`${stdout}${stderr}`.includes(secret));

  // The control plane was asked for this name in vain, and dials it again after a second or a few.
  let answer = '';
  const answers = async () => {
    const { exitCode, stdout, stderr } = await cluster.talosctl('-n', node.name, 'version');
    answer = stderr;
    return exitCode === 0 && stdout.includes(node.name);
  };
  await eventually(answers, { what: 'answer by name', timeoutMs: 15_000, explain: () => answer });
});

test('a node in maintenance that is of no local cluster is to get its configuration by apply-config', async () => {
  await using node = await startLoneNode({
    program: join(checkout, '_out', 'dist', 'machined', 'machined.cjs'),
    isConfigured: false,
  });
  const { exitCode, stderr } = await cluster.talosctl('-n', node.address, 'version');
  assert.equal(exitCode, 1);
  assert.equal(
    stderr.trimEnd().split('\n').at(-1),
    `${node.address} answers as a node in maintenance: "talosctl apply-config --insecure --cert-fingerprint <fingerprint on its console> -n ${node.address} -f <file>" gives it a configuration`,
  );
});

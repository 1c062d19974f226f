// Mistakes that only a real cluster answers, on one cluster of processes: each has one clear line, what to do, and leaves nothing half done.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { printTalosconfig } from '@nodewright/client/talosconfig';
import { runTalosctl, startTalosctl } from '../run-talosctl.ts';
import { openEtcdCluster } from './etcd-cluster.ts';
import type { ProcessCluster } from './process-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
/** Talosconfigs by role, and a folder that belongs to the test. */
let folder: string;
let reader: string;
before(async () => {
  cluster = scope.use(await openEtcdCluster());
  folder = await mkdtemp(join(tmpdir(), 'mistakes-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  reader = join(folder, 'reader');
  const context = await cluster.context('os:reader');
  await writeFile(reader, printTalosconfig({ context: 'reader', contexts: new Map([['reader', context]]) }), {
    mode: 0o600,
  });
});
after(() => scope.disposeAsync());

const names = () => cluster.nodes.map(({ name }) => name).join(', ');

/** The command fails, and these are all of its lines on standard error. */
async function fails(words: readonly string[], ...lines: readonly (string | RegExp)[]): Promise<void> {
  const { exitCode, stderr } = await cluster.talosctl(...words);
  check(words, { exitCode, stderr }, lines);
}

function check(
  words: readonly string[],
  { exitCode, stderr }: { readonly exitCode: number | null; readonly stderr: string },
  lines: readonly (string | RegExp)[],
): void {
  // An action says what it waits for.
  const said = stderr.split('\n').filter((line) => line !== '' && !/^"node\d+": waiting /.test(line));
  const what = `${words.join(' ')}: ${stderr}`;
  assert.equal(exitCode, 1, what);
  assert.equal(said.length, lines.length, what);
  for (const [at, line] of lines.entries()) {
    if (typeof line === 'string') assert.equal(said[at], line, what);
    else assert.match(said[at] ?? '', line, what);
  }
}

test('a node that is not there is answered with the nodes of the cluster', () =>
  fails(
    ['-n', 'node05', 'memory'],
    /^error from node node05: .*not a member of this cluster/,
    `the nodes of this cluster are ${names()}`,
  ));

test('a misspelt node is answered with the name that was meant', () =>
  fails(['-n', 'nod01', 'memory'], /^error from node nod01: /, 'did you mean "node01"?'));

test('a kind of resource that does not exist is answered without a name that was not meant', () =>
  fails(
    ['-n', 'node01', 'get', 'nope'],
    /^.*resource "nope" is not registered \("talosctl get rd" lists the resource types\)$/,
  ));

test('a resource, a service, a log and a file that do not exist are named', async () => {
  await fails(['-n', 'node01', 'get', 'members', 'nope'], /there is no "nope" among the members/);
  await fails(
    ['-n', 'node01', 'service', 'nope'],
    /"nope" is not registered/,
    '"talosctl service" lists the services',
  );
  await fails(['-n', 'node01', 'logs', 'apidd'], /log "apidd" was not registered$/, 'did you mean "apid"?');
  await fails(['-n', 'node01', 'read', '/nope'], /\/nope.*no such file or directory$/);
});

test("a reader's commands are answered with the roles that they need, once", async () => {
  const needs = (what: string, roles: string) =>
    `${what} needs the role ${roles}, and the certificate of this context has os:reader`;
  const rows = [
    [['reboot'], needs('reboot', 'os:operator or os:admin')],
    [['service', 'apid', 'restart'], needs('service', 'os:operator or os:admin')],
    [['etcd', 'leave', '--yes'], needs('etcd leave', 'os:admin')],
    [['read', '/etc/hosts'], needs('read', 'os:admin')],
    [['get', 'machineconfigs'], needs('get of this kind', 'os:admin')],
    [['kubeconfig', join('/', 'proc', 'nope')], needs('kubeconfig', 'os:admin')],
  ] as const;
  for (const [words, line] of rows) {
    await fails(
      ['--talosconfig', reader, '-n', 'node01', ...words],
      /^error from node node01: rpc error: code = PermissionDenied desc = not authorized$|^error: not authorized$/,
      line,
    );
  }
});

test('what a node of processes does not have is said without advice about certificates', async () => {
  for (const words of [
    ['dmesg'],
    ['pcap', '-i', 'nope0', '--duration', '1s', '-o', join(folder, 'x.pcap')],
  ]) {
    const { exitCode, stderr } = await cluster.talosctl('-n', 'node01', ...words);
    // root may read the log of the kernel of this host.
    if (exitCode === 0) continue;
    assert.doesNotMatch(stderr, /config info/, stderr);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  }
});

test('a second bootstrap says that the cluster is bootstrapped', () =>
  fails(
    ['-n', 'node01', 'bootstrap'],
    /^error from node node01: rpc error: code = AlreadyExists desc = etcd data directory is not empty$/,
    'the cluster is bootstrapped already: "talosctl etcd members" lists its members',
  ));

test('a folder that does not exist is named before anything is read from a node', async () => {
  for (const words of [
    ['etcd', 'snapshot', '/nope/x'],
    ['support', '-O', '/nope/x'],
  ])
    await fails(['-n', 'node01', ...words], 'error: cannot write "/nope/x": folder "/nope" does not exist');
  assert.equal(existsSync('/nope'), false);
});

test('what is not implemented points to the table in README', async () => {
  await fails(
    ['rotate-ca'],
    'error: talosctl rotate-ca is not implemented: the table in README.md says what is',
  );
});

test('ui names the port that is taken, once', async () => {
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const first = startTalosctl(['ui', '--no-browser', '--port', '0'], { home: cluster.home });
  first.stdout.on('data', (text) => {
    const port = /127\.0\.0\.1:(\d+)/.exec(String(text))?.[1];
    if (port !== undefined) resolve(port);
  });
  try {
    const port = await listening;
    await fails(
      ['ui', '--no-browser', '--port', port],
      `error: the page cannot be served on port ${port} of 127.0.0.1: address already in use; choose another with --port`,
    );
  } finally {
    first.kill('SIGTERM');
  }
});

test('an unreadable talosconfig, and a folder that an ordinary user cannot make, are no matter of certificates', async () => {
  const unreadable = join(folder, 'unreadable');
  await writeFile(unreadable, '');
  await chmod(unreadable, 0);
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? { user: { uid: 65_534, gid: 65_534 } } : {};
  const run = (words: readonly string[]) => runTalosctl(words, { home: folder, ...user });
  const rows = [
    [
      ['--talosconfig', unreadable, 'memory'],
      `error: talosconfig ${unreadable} cannot be read: permission denied`,
    ],
    [
      ['gen', 'secrets', '-o', '/nope/s.yaml'],
      'error: cannot write "/nope/s.yaml": folder "/nope" cannot be made: permission denied',
    ],
  ] as const;
  for (const [words, line] of rows) check(words, await run(words), [line]);
});

test('cluster create says that its state folder cannot be written', async () => {
  await fails(
    ['cluster', 'create', '--name', 'x', '--state', '/proc/x'],
    'error: the state folder /proc/x cannot be written: it cannot be made there',
  );
});

test('cluster create says when it makes another context the current one', async () => {
  const words = ['--name', 'other', '--controlplanes', '1', '--workers', '0', '--skip-bootstrap'];
  try {
    const { exitCode, stderr } = await cluster.talosctl('cluster', 'create', ...words);
    assert.equal(exitCode, 0, stderr);
    assert.match(
      stderr,
      /^context "other" is current now in \S+; "talosctl config context \S+" switches back to "\S+"$/m,
    );
  } finally {
    const { exitCode, stderr } = await cluster.talosctl(
      'cluster',
      'destroy',
      '--name',
      'other',
      '--if-present',
    );
    assert.equal(exitCode, 0, stderr);
  }
});

test('a cluster that is stopped is named, with the command that starts it', async () => {
  const { name } = cluster;
  assert.equal((await cluster.talosctl('cluster', 'stop', '--name', name)).exitCode, 0);
  await fails(
    ['-n', 'node01', 'memory'],
    /^error from node node01: .*connection refused/,
    `cluster "${name}" is stopped: "talosctl cluster start --name ${name}" starts it`,
  );
});

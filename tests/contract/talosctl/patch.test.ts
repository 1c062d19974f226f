// talosctl patch machineconfig, machineconfig patch and meta.
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeNodes, sampleConfig } from './fake-nodes.ts';
import { openSuite } from './suite.ts';

const nodes = await FakeNodes.open();
const suite = openSuite(nodes.handlers);
const rename = '{"apiVersion": "v1alpha1", "kind": "HostnameConfig", "hostname": "second"}';

async function run(...words: string[]) {
  nodes.sent.length = 0;
  const result = await suite.run(...words);
  return { ...result, sent: [...nodes.sent] };
}

test('patch changes the configuration in force of each node in turn', async () => {
  const { stdout, stderr, exitCode, sent } = await run('patch', 'mc', '-p', rename, '-m', 'no-reboot');
  assert.deepEqual({ stdout, exitCode }, { stdout: '', exitCode: 0 });
  assert.deepEqual(stderr.split('\n'), [
    'patched MachineConfigs.config.talos.dev/v1alpha1 at the node node01',
    'node01: Applied configuration without a reboot',
    'patched MachineConfigs.config.talos.dev/v1alpha1 at the node node02',
    'node02: Applied configuration without a reboot',
    '',
  ]);
  assert.deepEqual(
    sent.map(({ node, mode }) => ({ node, mode })),
    [
      { node: 'node01', mode: 2 },
      { node: 'node02', mode: 2 },
    ],
  );
  assert.match(sent[0]?.text ?? '', /token: aaaaaa\.bbbbbbbbbbbbbbbb\n[\s\S]*hostname: second\n$/);
});

test('patch sends nothing when nothing changes, and prints that', async () => {
  const patch = join(suite.cluster.folder, 'same.yaml');
  writeFileSync(patch, 'machine:\n  type: worker\n');
  const { stderr, exitCode, sent } = await run(
    '-n',
    'node01',
    'patch',
    'machineconfig',
    'v1alpha1',
    '--patch-file',
    patch,
  );
  assert.deepEqual(
    { stderr, exitCode, sent },
    {
      stderr: 'node01: no changes: the node already has this configuration, nothing was sent\n',
      exitCode: 0,
      sent: [],
    },
  );
});

test('patch reapplies the configuration in force when the stored one differs', async () => {
  const { stderr, exitCode, sent } = await run(
    '-n',
    'trying',
    'patch',
    'mc',
    '-p',
    '{"machine": {"type": "worker"}}',
  );
  assert.equal(exitCode, 0);
  assert.deepEqual(
    sent.map(({ text }) => text),
    [sampleConfig],
  );
  assert.equal(
    stderr,
    'trying: no changes to the active configuration; it is sent again, because the node has stored another one\nApplied configuration without a reboot\n',
  );
});

test('patch reads the configuration of an old node, which sends its documents unwrapped', async () => {
  const { stderr, sent } = await run('-n', 'old', 'patch', 'mc', '-p', rename);
  assert.match(stderr, /^patched /);
  assert.match(sent[0]?.text ?? '', /hostname: second\n$/);
});

test("patch --dry-run changes nothing, and prints what it would patch in upstream's format", async () => {
  const { stderr, sent } = await run('-n', 'node01', 'patch', 'mc', '-p', rename, '--dry-run');
  assert.deepEqual(
    sent.map(({ dryRun }) => dryRun),
    [true],
  );
  assert.match(
    stderr,
    /^patched MachineConfigs\.config\.talos\.dev\/v1alpha1 at the node node01\nDry run summary:\n/,
  );
});

test('patch continues with the next node when one fails', async () => {
  const { stderr, exitCode, sent } = await run(
    '-n',
    'bare,node02',
    'patch',
    'mc',
    '-p',
    rename,
    '-o',
    'yaml',
  );
  assert.equal(exitCode, 1);
  assert.deepEqual(
    sent.map(({ node }) => node),
    ['node02'],
  );
  const missing = 'there is no "v1alpha1" among the machineconfigs of namespace config';
  assert.equal(stderr, `error from node bare: rpc error: code = NotFound desc = ${missing}\n`);
});

test('patch rejects other kinds, and a patch that is missing or does not fit', async () => {
  const rows: [string[], RegExp][] = [
    [
      ['members', '-p', rename],
      /^error: resources of type Members\.cluster\.talos\.dev cannot be patched: only a machineconfig/,
    ],
    [['nothing', '-p', rename], /^error: resource "nothing" is not registered/],
    [['mc'], /^error: no patch is given: use --patch or --patch-file; see "talosctl patch --help"\n$/],
    [
      ['mc', '-p', '[{"op": "remove", "path": "/x"}]'],
      /^node01: cannot patch its configuration: JSON6902 patches are not supported .*: nothing was sent\n$/,
    ],
    [
      ['mc', '-p', '{"machine": {"nothing": {"$patch": "delete"}}}'],
      /cannot patch its configuration: .*nothing/,
    ],
  ];
  for (const [words, expected] of rows) {
    const { stderr, exitCode, sent } = await run('-n', 'node01', 'patch', ...words);
    assert.match(stderr, expected);
    assert.deepEqual({ exitCode, sent }, { exitCode: 1, sent: [] });
  }
});

test('machineconfig patch prints the patched file, or writes it to the given path', async () => {
  const path = join(suite.cluster.folder, 'file.yaml');
  writeFileSync(path, sampleConfig);
  const as = await suite.run('machineconfig', 'patch', path);
  assert.equal(as.stdout, `${sampleConfig}\n`);
  const { stdout, stderr } = await suite.run('mc', 'patch', path, '-p', rename);
  assert.equal(stderr, '');
  assert.match(stdout, /^version: v1alpha1\n[^#]*hostname: second\n\n$/);
  const output = join(suite.cluster.folder, 'out.yaml');
  writeFileSync(output, 'old');
  chmodSync(output, 0o600);
  const written = await suite.run('mc', 'patch', path, '-p', rename, '-o', output);
  assert.deepEqual(written, { stdout: '', stderr: '', exitCode: 0 });
  assert.equal(`${readFileSync(output, 'utf8')}\n`, stdout);
  assert.equal(statSync(output).mode & 0o777, 0o600);
});

test('machineconfig patch prints what machines do not act on beside the patched text, which stays', async () => {
  const path = join(suite.cluster.folder, 'file.yaml');
  writeFileSync(path, sampleConfig);
  const patch = 'machine: {files: [{path: /var/a, op: create, permissions: 0o600, content: secret}]}';
  const { stdout, stderr, exitCode } = await suite.run('mc', 'patch', path, '-p', patch);
  assert.match(stdout, /content: secret\n/);
  assert.deepEqual([stderr, exitCode], ['NOTE: v1alpha1: machines do not act on machine.files\n', 0]);
});

test('machineconfig patch reads standard input', async () => {
  const { stdout } = await suite.talosctl.run(['mc', 'patch', '-', '-p', rename], { stdin: sampleConfig });
  assert.match(stdout, /hostname: second\n/);
});

test('machineconfig gen makes the files of gen config', async () => {
  const words = ['machineconfig', 'gen', 'demo', 'https://10.0.0.1:6443'];
  const { stderr, exitCode } = await suite.talosctl.run(words, { cwd: suite.cluster.folder });
  assert.equal(exitCode, 0);
  assert.match(
    stderr,
    /^generating PKI and tokens\nCreated .*\/controlplane\.yaml\nCreated .*\/worker\.yaml\nCreated .*\/talosconfig\n$/,
  );
  const again = await suite.talosctl.run(words, { cwd: suite.cluster.folder });
  assert.match(again.stderr, /already exists, use --force to overwrite it\n$/);
});

test('meta writes and deletes keys in any base, and prints nothing', async () => {
  const result = await suite.run('-n', 'node01', 'meta', 'write', '0x0a', 'addresses: []');
  assert.deepEqual(result, { stdout: '', stderr: '', exitCode: 0 });
  await suite.run('meta', 'delete', '014', '-n', 'node02');
  assert.deepEqual(nodes.meta, ['node01 10=addresses: []', 'node02 -12']);
  const missing = await suite.run('-n', 'node01', 'meta', 'delete', '99');
  assert.equal(
    missing.stderr,
    'error from node node01: rpc error: code = NotFound desc = META key 99 is not there\n',
  );
  const document = await suite.run('-n', 'node01', 'meta', 'write', '12', 'x', '-o', 'json');
  assert.deepEqual(JSON.parse(document.stdout), [{ node: 'node01', done: true, key: 12 }]);
  for (const key of ['256', '-1', 'ten', '0x', '08', '']) {
    const { stderr, exitCode } = await suite.run('meta', 'delete', '--', key);
    assert.deepEqual(
      [/argument <key> must be a number from 0 to 255/.test(stderr), exitCode],
      [true, 1],
      key,
    );
  }
});

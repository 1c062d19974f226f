// talosctl machineconfig diff, and convert --prove.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generated } from '../config/conversion-corpus.ts';
import { FakeNodes, sampleConfig } from './fake-nodes.ts';
import { openSuite } from './suite.ts';

const nodes = await FakeNodes.open();
const suite = openSuite(nodes.handlers);

function file(name: string, text: string): string {
  const path = join(suite.cluster.folder, name);
  writeFileSync(path, text);
  return path;
}

/** The lines without those that say what was not compared, and whether there are such lines. */
function compared(stdout: string): readonly [text: string, hasUnproven: boolean] {
  const lines = stdout.split('\n');
  const left = lines.filter((line) => !/^(?:node\d+: )?not proven: /.test(line));
  return [left.join('\n'), left.length < lines.length];
}

test('machineconfig diff compares two files by what nodes make of them', async () => {
  const text = generated(13);
  const first = file('first.yaml', text);
  const same = await suite.run('machineconfig', 'diff', first, file('same.yaml', `# comment\n${text}`));
  assert.deepEqual([compared(same.stdout), same.stderr, same.exitCode], [['no difference\n', true], '', 0]);
  const second = file('second.yaml', generated(13, 'controlplane', 'machine: { sysctls: { a.b: secret } }'));
  const { stdout, stderr, exitCode } = await suite.run('machineconfig', 'diff', first, second);
  assert.deepEqual([stderr, exitCode], ['', 3]);
  assert.deepEqual(compared(stdout)[0].split('\n'), [
    '+ setting sysctls.a.b: the node changes it at once',
    '+ file kernel parameters: the kernel gets the values',
    'restarts by itself: nothing',
    'reboots: no',
    '',
  ]);
  const json = await suite.run('machineconfig', 'diff', first, second, '-o', 'json');
  const [comparison] = JSON.parse(json.stdout).comparisons;
  assert.deepEqual([json.exitCode, comparison.differs, comparison.changes.length], [3, true, 2]);
  assert.equal(json.stdout.includes('secret'), false);
});

test('machineconfig diff shows the drift of running nodes from a file, and from a file for each', async () => {
  const drifted = sampleConfig.replace('hostname: first', 'hostname: other');
  const same = await suite.run('machineconfig', 'diff', file('sample.yaml', sampleConfig));
  assert.deepEqual(
    [compared(same.stdout), same.exitCode],
    [['node01: no difference\nnode02: no difference\n', true], 0],
    same.stderr,
  );
  const folder = join(suite.cluster.folder, 'nodes');
  mkdirSync(folder);
  file('nodes/node01.yaml', sampleConfig);
  file('nodes/node02.yaml', drifted);
  const found = await suite.run('machineconfig', 'diff', folder);
  assert.deepEqual([found.stderr, found.exitCode], ['', 3]);
  assert.match(
    compared(found.stdout)[0],
    /^node01: no difference\nnode02: ~ setting hostname\.hostname: the node changes it at once\n/,
  );
  const missing = await suite.run('machineconfig', 'diff', folder, '-n', 'node03');
  assert.deepEqual([missing.stdout, missing.exitCode], ['', 1]);
  assert.match(missing.stderr, /node03/);
});

test('machineconfig diff fails with 1 when it cannot compare', async () => {
  const rows = [
    [['-', '-'], /standard input can be read only once/],
    [['missing.yaml', 'other.yaml'], /missing\.yaml/],
    [[file('broken.yaml', 'machine: ['), file('plain.yaml', sampleConfig)], /cannot read .*broken\.yaml/],
    [['a.yaml', 'b.yaml', '-n', 'node01'], /either a second file or nodes/],
    [[suite.cluster.folder, '-n', '../x'], /no file can have the name of the node/],
  ] as const;
  for (const [words, wanted] of rows) {
    const { stdout, stderr, exitCode } = await suite.run('machineconfig', 'diff', ...words);
    assert.deepEqual([stdout, exitCode], ['', 1], words.join(' '));
    assert.match(stderr, wanted);
  }
});

test('machineconfig convert --prove prints the comparison in place of the configuration', async () => {
  const source = file('controlplane.yaml', generated(13));
  const convert = (...words: string[]) =>
    suite.run('machineconfig', 'convert', source, '--to', '1.14', ...words);
  const { stdout, exitCode } = await convert('--prove');
  assert.equal(exitCode, 0);
  assert.match(stdout, /^named: setting manifests\.proxy\.config is only in the new one: /);
  assert.match(
    stdout,
    /\nform only: file static pod kube-apiserver is different \(.*--anonymous-auth removed/,
  );
  assert.match(stdout, /\nnot proven: command line of etcd: /);
  assert.match(stdout, /\n\d+ files are equal byte by byte\nevery difference has a named cause\n$/);
  assert.doesNotMatch(stdout, /BEGIN|kind:/);

  const output = join(suite.cluster.folder, 'converted.yaml');
  const json = await convert('--prove', '--json', '-o', output);
  const [proof] = JSON.parse(json.stdout).configurations;
  assert.deepEqual([json.exitCode, proof.proven, existsSync(output)], [0, true, true]);
  assert.ok(proof.equalFiles.length > 10 && proof.unproven.length > 3);

  for (const words of [['--json'], ['--prove', '--patch'], ['--prove', '-o', '-']])
    assert.equal((await convert(...words)).exitCode, 1, words.join(' '));
});

// talosctl edit machineconfig, with editors that are shell scripts.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { FakeNodes, sampleConfig } from './fake-nodes.ts';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const nodes = await FakeNodes.open();
const suite = openSuite(nodes.handlers);
const temporary = mkdtempSync(join(tmpdir(), 'talosctl-edit-test-'));
let scripts = 0;

after(() => rm(temporary, { recursive: true, force: true }));

/** An editor: a shell script whose `$1` is the file. It records the file's content in `<script>.seen`. */
function editor(body: string): string {
  scripts += 1;
  const path = join(suite.cluster.folder, `editor${scripts}.sh`);
  const seen = `cat "$1" >> ${path}.seen; ls -l "$1" >> ${path}.seen`;
  writeFileSync(path, `#!/bin/sh\n${seen}\n${body}\n`, { mode: 0o755 });
  return path;
}

const environmentOf = (path: string) => ({
  ...{ TALOSCONFIG: suite.talosconfig, TMPDIR: temporary, TALOS_EDITOR: path, EDITOR: '/bin/false' },
});

/** Runs edit; returns the result, what was sent, what the editor saw and which files are left. */
async function edit(body: string, ...words: string[]) {
  nodes.sent.length = 0;
  const path = editor(body);
  const result = await suite.talosctl.run(['-n', 'node01', 'edit', 'mc', ...words], {
    environment: environmentOf(path),
  });
  const seen = existsSync(`${path}.seen`) ? readFileSync(`${path}.seen`, 'utf8') : '';
  return { ...result, seen, sent: nodes.sent.map(({ text }) => text), left: readdirSync(temporary) };
}

const second = sampleConfig.replace('first', 'second');
const keptFile = (stderr: string) => /your text is saved in (\S+): /.exec(stderr)?.[1] ?? '';

test('edit sends what the editor wrote, including comments, and removes its file', async () => {
  const { stdout, stderr, exitCode, sent, seen, left } = await edit('sed -i s/first/second/ "$1"');
  assert.deepEqual(
    { stdout, stderr, exitCode, sent, left },
    {
      ...{
        stdout: '',
        stderr: 'Applied configuration without a reboot\n',
        exitCode: 0,
        sent: [second],
        left: [],
      },
    },
  );
  assert.ok(
    seen.startsWith(
      `# Editing MachineConfigs.config.talos.dev/v1alpha1 at node node01\n${sampleConfig}-rw-------`,
    ),
    seen,
  );
  assert.match(seen, /\/MachineConfigs\.config\.talos\.dev-v1alpha1-edit-\w+\.yaml\n$/);
});

test('edit sends nothing when nothing has changed, or when the file is empty', async () => {
  const unchanged = await edit('true');
  assert.deepEqual([unchanged.stderr, unchanged.exitCode], ['node01: no changes: nothing was sent\n', 0]);
  for (const body of [': > "$1"', 'rm "$1"']) {
    const empty = await edit(body);
    assert.deepEqual([empty.stderr, empty.exitCode], ['node01: the file is empty: nothing was sent\n', 0]);
    assert.deepEqual({ sent: empty.sent, left: empty.left }, { sent: [], left: [] });
  }
});

test('edit reopens a text that the node refuses, with the reason above it', async () => {
  const { stderr, exitCode, sent, seen, left } = await edit(
    'if grep -q "bad hostname" "$1"; then sed -i s/bad$/second/ "$1"; else sed -i s/first/bad/ "$1"; fi',
  );
  assert.deepEqual(
    { stderr, exitCode, left },
    { stderr: 'Applied configuration without a reboot\n', exitCode: 0, left: [] },
  );
  assert.deepEqual(sent, [sampleConfig.replace('first', 'bad'), second]);
  assert.match(seen, /# HostnameConfig: bad hostname\n# second line\n# \nversion: v1alpha1\n/);
});

test('edit keeps the file when the user stops, and prints its path', async () => {
  const { stderr, exitCode, sent, left } = await edit('sed -i s/first/bad/ "$1"');
  assert.deepEqual([exitCode, sent.length, left.length], [1, 1, 1]);
  assert.match(
    stderr,
    /^node01: error applying configuration: rpc error: code = InvalidArgument desc = HostnameConfig: bad hostname\n {4}second line\nyour text is saved in \S+\.yaml: send it with "talosctl apply-config -f"\n$/,
  );
  const path = keptFile(stderr);
  assert.equal(readFileSync(path, 'utf8'), sampleConfig.replace('first', 'bad'));
  assert.deepEqual([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777], [0o600, 0o700]);
});

test('edit does not reopen the text for an error that no other text would avoid', async () => {
  const { stderr, seen, sent } = await edit('sed -i s/first/locked/ "$1"');
  assert.equal(sent.length, 1);
  assert.equal(seen.match(/# Editing/g)?.length, 1);
  assert.equal(readFileSync(keptFile(stderr), 'utf8'), sampleConfig.replace('first', 'locked'));
});

test('edit keeps the text of an editor that failed or was killed, and does not touch other nodes', async () => {
  for (const [end, how] of [
    ['exit 3', 'failed with exit code 3'],
    ['kill -9 $$', 'was killed by SIGKILL|failed with exit code 137'],
  ]) {
    const { stderr, exitCode, sent } = await edit(
      `sed -i s/first/second/ "$1"\n${end}`,
      '-n',
      'node01,node02',
    );
    assert.deepEqual([exitCode, sent], [1, []]);
    assert.match(stderr, new RegExp(`node01: editor ".*" (?:${how}): nothing was sent\\nyour text is saved`));
    assert.equal(readFileSync(keptFile(stderr), 'utf8'), second);
  }
  const untouched = await edit('exit 1');
  assert.equal(keptFile(untouched.stderr), '');
});

test("edit keeps the user's comments in place, also above the first document", async () => {
  const { sent } = await edit('sed -i "1a # mine" "$1"');
  assert.deepEqual(sent, [`# mine\n${sampleConfig}`]);
});

test('edit keeps the text when it is interrupted', async () => {
  const path = editor('sed -i s/first/second/ "$1"; touch "$0.ready"; sleep 2');
  const child = suite.talosctl.start(['-n', 'node01', 'edit', 'mc'], { environment: environmentOf(path) });
  await eventually(() => existsSync(`${path}.ready`), { what: 'the editor' });
  child.kill('SIGTERM');
  const { stderr, exitCode } = await finished(child);
  assert.equal(exitCode, 1);
  assert.equal(readFileSync(keptFile(stderr), 'utf8'), second);
});

test('edit leaves nothing behind when the terminal is closed, however often that is reported, or after two signals', async () => {
  for (const signals of [
    ['SIGHUP', 'SIGHUP'],
    // The kernel may deliver two of one kind as one.
    ['SIGTERM', 'SIGINT'],
  ] as const) {
    const before = readdirSync(temporary);
    const path = editor('touch "$0.ready"; sleep 2');
    const child = suite.talosctl.start(['-n', 'node01', 'edit', 'mc'], { environment: environmentOf(path) });
    const ended = finished(child);
    await eventually(() => existsSync(`${path}.ready`), { what: 'the editor' });
    assert.equal(readdirSync(temporary).length, before.length + 1);
    for (const signal of signals) child.kill(signal);
    const { exitCode } = await ended;
    assert.equal(exitCode, signals[0] === 'SIGHUP' ? 1 : 130);
    assert.deepEqual(readdirSync(temporary), before);
  }
});

test('edit keeps a text that was saved before the terminal was closed', async () => {
  const path = editor('sed -i s/first/second/ "$1"; touch "$0.ready"; sleep 2');
  const child = suite.talosctl.start(['-n', 'node01', 'edit', 'mc'], { environment: environmentOf(path) });
  const ended = finished(child);
  await eventually(() => existsSync(`${path}.ready`), { what: 'the editor' });
  child.kill('SIGHUP');
  const { stderr, exitCode } = await ended;
  assert.equal(exitCode, 1);
  assert.equal(readFileSync(keptFile(stderr), 'utf8'), second);
});

test('edit handles one node after the other, and edits only machine configurations', async () => {
  const { stderr, sent } = await edit('sed -i s/first/second/ "$1"', '-n', 'node01,node02');
  assert.deepEqual(sent, [second, second]);
  assert.equal(
    stderr,
    'node01: Applied configuration without a reboot\nnode02: Applied configuration without a reboot\n',
  );
  const members = await suite.talosctl.run(['-n', 'node01', 'edit', 'members'], {
    environment: environmentOf('true'),
  });
  assert.match(members.stderr, /^error: resources of type Members\.cluster\.talos\.dev cannot be edited/);
  const none = await suite.run('edit', 'mc');
  assert.match(none.stderr, /^error: no editor is set, and vi needs a terminal: set TALOS_EDITOR or EDITOR/);
});

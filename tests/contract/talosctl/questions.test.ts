// Commands that ask before they act: what a script sees when the user does not agree.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FakeHandler } from './fake-gateway.ts';
import { FakeMachine } from './fake-machine.ts';
import { healthyCluster } from './replies.ts';
import { controlC, controlD, runAtTerminal } from './run-at-terminal.ts';
import { openSuite } from './suite.ts';

const machine = new FakeMachine();
/** Methods that change something. None of them may be called without the consent of the user. */
const changes = [
  '/machine.MachineService/EtcdLeaveCluster',
  '/machine.MachineService/Reboot',
  '/machine.MachineService/Reset',
  '/machine.ImageService/Remove',
  '/storage.StorageService/BlockDeviceWipe',
  '/suite.registry.v1.RegistryService/RemoveImage',
  '/suite.registry.v1.RegistryService/Collect',
];
const changed: string[] = [];
const recorded = Object.fromEntries(
  changes.map((path): [string, FakeHandler] => [
    path,
    (call) => {
      changed.push(path);
      call.fail(13, 'nobody agreed');
    },
  ]),
);
const suite = openSuite({ ...healthyCluster, ...machine.handlers, ...recorded });
const cwd = mkdtempSync(join(tmpdir(), 'questions-'));
after(() => rmSync(cwd, { recursive: true }));
writeFileSync(join(cwd, 'archive.zip'), 'precious');

/** Command lines that ask, and the flag that makes a document of their output. */
const commands: readonly (readonly [words: readonly string[], format: string])[] = [
  [['reboot'], '-o'],
  [['reset'], '-o'],
  [['etcd', 'leave'], '-o'],
  [['wipe', 'disk', 'sdb'], '-o'],
  [['image', 'remove', 'alpine'], '-o'],
  [['registry', 'remove', 'alpine'], '-o'],
  [['registry', 'collect'], '-o'],
  [['support', '-O', 'archive.zip'], '--format'],
];

async function run(words: readonly string[], ...reactions: string[]) {
  const environment = { TALOSCONFIG: suite.talosconfig };
  return runAtTerminal(['-n', 'node01', ...words], { environment, cwd, reactions });
}

test('a refused command fails with exit code 1, an interrupted one with 130, and both with a document', async () => {
  const rows = [
    ['n', 1, 'not confirmed: nothing was done'],
    [controlD, 1, 'not confirmed: nothing was done'],
    [controlC, 130, 'interrupted at the question: nothing was done'],
  ] as const;
  for (const [words, format] of commands) {
    for (const [reaction, exitCode, message] of rows) {
      const what = `${words.join(' ')} after ${JSON.stringify(reaction)}`;
      const shown = await run([...words, format, 'json'], reaction);
      const error = { code: 'Canceled', message };
      const expected =
        words[0] === 'support' ? { archive: 'archive.zip', error } : [{ node: 'node01', error }];
      assert.deepEqual(JSON.parse(shown.stdout || 'null'), expected, `${what}: ${shown.stderr}`);
      assert.equal(shown.exitCode, exitCode, what);
      const plain = await run(words, reaction);
      assert.deepEqual([plain.stdout, plain.exitCode], ['', exitCode], what);
      assert.match(plain.stderr, /: nothing was done\n$/, what);
    }
  }
  assert.deepEqual(changed, []);
  assert.equal(readFileSync(join(cwd, 'archive.zip'), 'utf8'), 'precious');
});

test('config remove removes nothing after an interrupt at a later question, and fails when all is refused', async () => {
  const path = join(cwd, 'several');
  const text = 'context: a\ncontexts: {a: {}, b-1: {}, b-2: {}}\n';
  writeFileSync(path, text);
  const remove = (...reactions: string[]) =>
    runAtTerminal(['config', 'remove', 'b*', '-o', 'json'], {
      ...{ environment: { TALOSCONFIG: path }, cwd, reactions },
    });
  const interrupted = await remove('y', controlC);
  assert.equal(interrupted.exitCode, 130, interrupted.stderr);
  const refused = await remove('n', controlD);
  assert.equal(refused.exitCode, 1, refused.stderr);
  const error = { code: 'Canceled', message: 'not confirmed: nothing was done' };
  assert.deepEqual(JSON.parse(refused.stdout), { removed: [], error });
  assert.equal(readFileSync(path, 'utf8'), text);
  const agreed = await remove('n', 'y');
  assert.deepEqual([JSON.parse(agreed.stdout), agreed.exitCode], [{ removed: ['b-2'] }, 0]);
});

// `tools/suite.ts` as the Makefile starts it, in a checkout of its own.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readResults } from './suite-results.ts';
import { git } from './working-tree.ts';

const source = join(import.meta.dirname, '..', '..');
const passes = `import { reportCounts } from './suites/suite-results.ts';
await reportCounts({ passed: 3, failed: 0, skipped: 1 });`;
const failsLater = `${passes}
process.exitCode = 3;`;
const changesFiles = "import { writeFileSync } from 'node:fs'; writeFileSync('later', '');";

test('tools/suite.ts writes the counts or the exit code of a whole suite, and nothing for a part or after a signal', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'suite-'));
  mkdirSync(join(folder.path, 'tools', 'suites'), { recursive: true });
  for (const path of ['tools/suite.ts', 'tools/suites'])
    cpSync(join(source, path), join(folder.path, path), { recursive: true });
  symlinkSync(join(source, 'node_modules'), join(folder.path, 'node_modules'));
  const programs = {
    ...{ passes, fails: 'process.exitCode = 7;', killed: 'process.kill(process.pid);' },
    ...{ failsLater, changesFiles },
  };
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder.path, `tools/${name}.ts`), text);
  writeFileSync(join(folder.path, '.gitignore'), '_out\nnode_modules\n');
  git(folder.path, 'init', '--quiet');
  git(folder.path, 'add', '--all');
  git(
    folder.path,
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@example.com',
    'commit',
    '--quiet',
    '--message',
    'c',
  );
  const run = (suite: string, program: string, ...options: string[]) => {
    const words = ['tools/suite.ts', suite, ...options, '--', process.execPath, `tools/${program}.ts`];
    return spawnSync(process.execPath, words, { cwd: folder.path }).status;
  };
  const codes = [
    run('one', 'passes'),
    run('two', 'fails'),
    run('three', 'killed'),
    run('four', 'passes', '--part'),
    run('six', 'failsLater'),
    run('five', 'changesFiles'),
  ];
  assert.deepEqual(codes, [0, 7, 1, 0, 3, 0]);
  const [commit, tree] = [
    git(folder.path, 'rev-parse', 'HEAD'),
    git(folder.path, 'rev-parse', 'HEAD^{tree}'),
  ];
  const known = { commit, clean: true, tree };
  assert.deepEqual(
    readResults(folder.path).map(({ seconds: _seconds, when: _when, ...result }) => result),
    [
      { suite: 'five', commit, clean: true, tree: '', passed: 1, failed: 0, skipped: 0 },
      { suite: 'one', ...known, passed: 3, failed: 0, skipped: 1 },
      { suite: 'six', ...known, passed: 0, failed: 1, skipped: 0 },
      { suite: 'two', ...known, passed: 0, failed: 1, skipped: 0 },
    ],
  );
});

test('an interrupt reaches what a suite runs once, and its result does not count', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'suite-'));
  const program = join(folder.path, 'program.mjs');
  writeFileSync(
    program,
    `process.once('SIGINT', () => setTimeout(() => { console.log('cleaned up'); process.exit(1); }, 100));
     console.log('started');
     setInterval(() => {}, 1000);`,
  );
  const words = [join(source, 'tools/suite.ts'), 'no-suite', '--', process.execPath, program];
  // A group of its own, as a terminal has it.
  const child = spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') process.kill(-(child.pid ?? 0), 'SIGINT');
    output += text;
  });
  await once(child, 'close');
  assert.equal(output, 'started\ncleaned up\n');
  assert.equal(
    readResults(source).some(({ suite }) => suite === 'no-suite'),
    false,
  );
});

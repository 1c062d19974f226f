// The whole tool on a checkout of one small package.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@nodewright/testkit';

const program = join(import.meta.dirname, '..', 'mutate.ts');
const source = `export function isFull(count: number): boolean {
  return count >= 1000;
}

export function warn(count: number, tell: (text: string) => void): void {
  if (count > 1) tell('many');
}
`;
/** Nothing calls warn(), and the border of isFull() is tested on both sides. */
const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFull } from './room.ts';

test('isFull() counts to its limit', async () => {
  assert.deepEqual([isFull(999), isFull(1000)], [false, true]);
  WAIT
});
`;

/** @param wait a statement of the test */
function openCheckout(t: TestContext, wait = '') {
  const folder = mkdtempSync(join(tmpdir(), 'mutate-'));
  t.after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('packages/small/src/room.ts', source);
  write('packages/small/src/room.test.ts', tests.replace('WAIT', wait));
  write('package.json', '{"type":"module"}');
  write('.gitignore', '/_out/\nnode_modules/\n');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...words], {
      cwd: folder,
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'begin');
  const words = ['--checkout', folder, '--seed', '1', '--count', '50'];
  return {
    folder,
    words,
    write,
    status: () => String(git('status', '--porcelain')),
    copies: () => readdirSync(join(folder, '_out', 'mutate')),
    run: (...more: string[]) => {
      const { stdout, stderr } = spawnSync(process.execPath, [program, ...words, ...more], {
        encoding: 'utf8',
        env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      });
      return stdout + stderr;
    },
  };
}

test('make mutate names what no test notices, tells it from what one does, and leaves the checkout as it was', (t) => {
  const { run, status, copies } = openCheckout(t);
  const printed = run();
  const survived = printed.split('\n').filter((line) => line.startsWith('survived: '));
  assert.deepEqual(
    survived.map((line) => /room\.ts:(\d+): ([\w ]+)/.exec(line)?.slice(1).join(' ')).sort(),
    ['6 condition negated', '6 number changed', '6 operator swapped', '6 statement removed'],
    printed,
  );
  assert.match(printed, /^seed 1: 6 faults, 2 noticed by tests, 0 by types, 4 survived$/m);
  assert.match(printed, /noticed by packages\/small\/src\/room\.test\.ts: isFull\(\) counts to its limit$/m);
  assert.deepEqual([status(), copies()], ['', []]);
});

test('make mutate BASE= plants faults in changed lines only', (t) => {
  const { run, write } = openCheckout(t);
  write('packages/small/src/room.ts', source.replace('1000', '1_000'));
  const printed = run('--base', 'HEAD');
  assert.match(printed, /^seed 1: 2 faults, 2 noticed by tests, 0 by types, 0 survived$/m);
});

test('a test that fails without a fault has noticed none', (t) => {
  const { run, write } = openCheckout(t);
  const broken = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import './room.ts';
test('broken', () => assert.fail('always'));
`;
  write('packages/small/src/a.test.ts', broken);
  const printed = run();
  assert.match(printed, /^fails without a fault, and did not count: packages\/small\/src\/a\.test\.ts$/m);
  assert.match(printed, /^seed 1: 6 faults, 2 noticed by tests, 0 by types, 4 survived$/m);
});

test('a fault that makes a loop endless is noticed, although the test listens for signals', (t) => {
  const { run, write } = openCheckout(t);
  const loop = `export function count(to: number): number {
  let at = 0;
  while (at !== to) at += to;
  return at;
}
`;
  write('packages/small/src/room.ts', loop);
  const listening = `import { test } from 'node:test';
import { count } from './room.ts';
process.on('SIGTERM', () => {});
test('count() ends', () => void count(2));
`;
  write('packages/small/src/room.test.ts', listening);
  const printed = run('--seconds', '4');
  assert.match(
    printed,
    /statement removed: at \+= to;\n {4}noticed by packages\/small\/src\/room\.test\.ts: does not end$/m,
  );
});

test('make mutate that is killed leaves the checkout as it was, and the next run removes its copy', async (t) => {
  const waits = openCheckout(t, 'await new Promise((resolve) => setTimeout(resolve, 60_000));');
  const child = spawn(process.execPath, [program, ...waits.words], {
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: 'ignore',
    detached: true,
  });
  const copyOf = join(
    waits.folder,
    '_out',
    'mutate',
    String(child.pid),
    'packages',
    'small',
    'src',
    'room.ts',
  );
  await eventually(() => existsSync(copyOf) && readFileSync(copyOf, 'utf8') !== source, { what: 'a fault' });
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await once(child, 'exit');
  assert.deepEqual([waits.status(), waits.copies()], ['', [String(child.pid)]]);
  waits.write('packages/small/src/room.test.ts', tests.replace('WAIT', ''));
  waits.run('--count', '1');
  assert.deepEqual(waits.copies(), []);
});

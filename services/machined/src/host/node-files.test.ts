import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createNodeFiles } from './node-files.ts';
import { type WalkStep, walkFiles } from './walk-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const signal = new AbortController().signal;

async function walk(root: string, nodeRoot: string): Promise<WalkStep[]> {
  const groups = await Array.fromAsync(
    walkFiles({ files: createNodeFiles({ root: nodeRoot }), root, signal }),
  );
  return groups.flat();
}

test('a node that is a machine has / for its root and hides nothing', async () => {
  const machine = createNodeFiles({ root: '' });
  assert.deepEqual(await machine.readFolder('/'), readdirSync('/').sort());
  assert.equal(machine.stat('/proc').mode, lstatSync('/proc').mode);
  await using file = machine.open('/proc/self/environ');
  assert.ok(file.read(Buffer.alloc(100)) > 0);
  const paths = (await walk(folder, '')).map(({ path }) => path);
  assert.equal(paths[0], folder);
});

test('contents of its own take the place of what the kernel says', async () => {
  const files = createNodeFiles({ root: '', contents: () => new Map([['/proc/version', 'mine\n']]) });
  await using file = files.open('/proc/version');
  const buffer = Buffer.alloc(3);
  assert.deepEqual(
    [file.read(buffer), buffer.toString(), file.read(buffer), file.read(buffer), file.stat.size],
    [3, 'min', 2, 0, lstatSync('/proc/version').size],
  );
});

test('a pipe without a writer is opened without waiting for one', { timeout: 5000 }, async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await using file = createNodeFiles({ root: folder }).open('/pipe');
  assert.equal(file.read(Buffer.alloc(10)), 0);
});

test('a link is never followed by what opens, and messages name the path on the node only', () => {
  symlinkSync('/etc/passwd', join(folder, 'link'));
  const files = createNodeFiles({ root: folder });
  for (const ask of [() => files.open('/link'), () => files.stat('/nope'), () => files.readLink('/nope')]) {
    assert.throws(ask, (error: Error) => error.message.includes(' /') && !error.message.includes(folder));
  }
});

test('a walk shows every file once, a folder before what is in it and as left after it', async () => {
  const name = fc.constantFrom('a', 'b', 'c-d', 'ä', 'Z');
  const tree = fc.uniqueArray(
    fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
    { maxLength: 12 },
  );
  let round = 0;
  await fc.assert(
    fc.asyncProperty(tree, async (folders) => {
      round += 1;
      const root = join(folder, `tree-${round}`);
      mkdirSync(root);
      for (const path of folders) {
        mkdirSync(join(root, path), { recursive: true });
        writeFileSync(join(root, path, 'file'), '');
      }
      const steps = await walk(root, '');
      const shown = steps
        .filter(({ kind }) => kind === 'file')
        .map(({ path }) => Buffer.from(path, 'latin1').toString());
      const expected = execFileSync('find', [root], { encoding: 'utf8' }).trimEnd().split('\n');
      assert.deepEqual(shown.toSorted(), expected.sort());
      const open: string[] = [];
      for (const { path, kind } of steps) {
        if (kind === 'left') assert.equal(open.pop(), path);
        else if (path.endsWith('/file') === false) open.push(path);
      }
      assert.deepEqual(open, []);
    }),
    { numRuns: 15 },
  );
});

test('a walk that is aborted stops, also in the middle of a folder', async () => {
  const stop = new AbortController();
  const steps = walkFiles({ files: createNodeFiles({ root: '' }), root: '/proc', signal: stop.signal });
  await steps.next();
  stop.abort();
  await assert.rejects(
    async () => {
      for await (const _ of steps);
    },
    { name: 'AbortError' },
  );
});

test('what a file system says of a file is what its owner sees', () => {
  const path = join(folder, 'plain');
  writeFileSync(path, 'text', { mode: 0o640 });
  const { size, mode } = createNodeFiles({ root: folder }).stat('/plain');
  assert.deepEqual([size, mode & 0o777], [4, 0o640]);
  assert.equal(readFileSync(path, 'utf8'), 'text');
});

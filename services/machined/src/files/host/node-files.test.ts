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
  using found = await createNodeFiles({ root: nodeRoot }).find(root);
  const groups = await Array.fromAsync(walkFiles({ root: found, signal }));
  return groups.flat();
}

test('a node that is a machine has / as its root and hides no files', async () => {
  const machine = createNodeFiles({ root: '' });
  using root = await machine.find('/');
  using inner = root.folder.enter('.');
  assert.deepEqual(await inner.names(), readdirSync('/').sort());
  assert.equal(inner.stat('proc').mode, lstatSync('/proc').mode);
  using environment = await machine.find('/proc/self/environ');
  await using file = environment.folder.open(environment.name);
  assert.ok(file.read(Buffer.alloc(100)) > 0);
  const paths = (await walk(folder, '')).map(({ path }) => path);
  assert.equal(paths[0], folder);
});

test('contents of the node replace those of a kernel file', async () => {
  const files = createNodeFiles({ root: '', contents: () => new Map([['/proc/version', 'mine\n']]) });
  using found = await files.find('/proc/version');
  await using file = found.folder.open(found.name);
  const buffer = Buffer.alloc(3);
  assert.deepEqual(
    [file.read(buffer), buffer.toString(), file.read(buffer), file.read(buffer), file.stat.size],
    [3, 'min', 2, 0, lstatSync('/proc/version').size],
  );
});

test('open() does not wait for the writer of a pipe', { timeout: 60_000 }, async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  using found = await createNodeFiles({ root: folder }).find('/pipe');
  await using file = found.folder.open(found.name);
  assert.equal(file.read(Buffer.alloc(10)), 0);
});

test('folders never follow a link when they open a name, and messages only name the path on the node', async () => {
  symlinkSync('/etc/passwd', join(folder, 'link'));
  using found = await createNodeFiles({ root: folder }).find('/pipe');
  const at = found.folder;
  const calls = [
    () => at.open('link'),
    () => at.enter('link'),
    () => at.stat('nope'),
    () => at.readLink('nope'),
  ];
  for (const call of calls) {
    assert.throws(call, (error: Error) => error.message.includes(' /') && !error.message.includes(folder));
  }
  assert.equal(await at.enterLater('link'), undefined);
});

test('a walk reports folders below the depth limit as failed and continues', async () => {
  const top = join(folder, 'deep');
  mkdirSync(join(top, 'a/'.repeat(258)), { recursive: true });
  writeFileSync(join(top, 'z'), '');
  const steps = await walk('/deep', folder);
  const failed = steps.flatMap((step) => (step.kind === 'failed' ? [step.fault.message] : []));
  assert.deepEqual(failed, [`open /deep${'/a'.repeat(256)}: more than 256 folders deep`]);
  assert.ok(steps.some(({ path }) => path === '/deep/z'));
});

test('a walk lists every file once, and a folder before its entries and again after them', async () => {
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

test('an aborted walk stops, even in the middle of a folder', async () => {
  const stop = new AbortController();
  using found = await createNodeFiles({ root: '' }).find('/proc');
  const steps = walkFiles({ root: found, signal: stop.signal });
  await steps.next();
  stop.abort();
  await assert.rejects(
    async () => {
      for await (const _ of steps);
    },
    { name: 'AbortError' },
  );
});

test('stat() returns the mode and size that the owner of a file sees', async () => {
  const path = join(folder, 'plain');
  writeFileSync(path, 'text', { mode: 0o640 });
  using found = await createNodeFiles({ root: folder }).find('/plain');
  const { size, mode } = found.folder.stat(found.name);
  assert.deepEqual([size, mode & 0o777], [4, 0o640]);
  assert.equal(readFileSync(path, 'utf8'), 'text');
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { watchFile } from './watch-file.ts';

interface Watched {
  readonly root: string;
  /** The next content as text; `undefined` while the file does not exist. */
  next(): Promise<string | undefined>;
}

/** Creates a temporary folder and a watch on `<folder>/<name>`; both end with the test. */
async function withWatch(name: string, body: (watched: Watched) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'watch-'));
  const stop = new AbortController();
  const contents = watchFile(join(root, name), { signal: stop.signal });
  try {
    await body({
      root,
      async next() {
        const { value, done } = await contents.next();
        assert.equal(done, false);
        return value === undefined ? undefined : Buffer.from(value as Uint8Array).toString();
      },
    });
  } finally {
    stop.abort();
    assert.equal((await contents.next()).done, true);
    await rm(root, { recursive: true });
  }
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

const options = { timeout: 60_000 };

test('watchFile() yields the content at first and after each replacement by rename', options, async () => {
  await withWatch('a.json', async ({ root, next }) => {
    await writeFile(join(root, 'a.json'), 'one');
    assert.equal(await next(), 'one');
    for (const text of ['two', 'three']) {
      const following = next();
      await replace(join(root, 'a.json'), text);
      assert.equal(await following, text);
    }
  });
});

test('watchFile() yields undefined while the file does not exist', options, async () => {
  await withWatch('a.json', async ({ root, next }) => {
    assert.equal(await next(), undefined);
    await replace(join(root, 'a.json'), 'here');
    assert.equal(await next(), 'here');
    await rm(join(root, 'a.json'));
    assert.equal(await next(), undefined);
  });
});

test('watchFile() waits for a directory that does not exist yet', options, async () => {
  await withWatch('run/trustd/a.json', async ({ root, next }) => {
    assert.equal(await next(), undefined);
    const following = next();
    await mkdir(join(root, 'run', 'trustd'), { recursive: true });
    await replace(join(root, 'run', 'trustd', 'a.json'), 'late');
    assert.equal(await following, 'late');
    const second = next();
    await replace(join(root, 'run', 'trustd', 'a.json'), 'later');
    assert.equal(await second, 'later');
  });
});

test('watchFile() notices that a directory was replaced', options, async () => {
  await withWatch('run/a.json', async ({ root, next }) => {
    await mkdir(join(root, 'run'));
    await writeFile(join(root, 'run', 'a.json'), 'one');
    assert.equal(await next(), 'one');

    await mkdir(join(root, 'run.new'));
    await writeFile(join(root, 'run.new', 'a.json'), 'two');
    await rename(join(root, 'run'), join(root, 'run.old'));
    await rename(join(root, 'run.new'), join(root, 'run'));
    let seen = await next();
    // Between the two renames the file did not exist.
    if (seen === undefined) seen = await next();
    assert.equal(seen, 'two');

    const following = next();
    await replace(join(root, 'run', 'a.json'), 'three');
    assert.equal(await following, 'three');
  });
});

test(
  'watchFile() merges fast changes and never yields the same content twice in a row',
  options,
  async () => {
    await withWatch('a.json', async ({ root, next }) => {
      const path = join(root, 'a.json');
      await writeFile(path, 'start');
      assert.equal(await next(), 'start');
      for (let round = 0; round < 50; round += 1) await replace(path, `round ${round}`);
      assert.equal(await next(), 'round 49');
      const following = next();
      await replace(path, 'round 49');
      await replace(join(root, 'other.json'), 'not watched');
      await replace(path, 'end');
      assert.equal(await following, 'end');
    });
  },
);

test('watchFile() throws a Fault for a file that cannot be read', options, async () => {
  const root = await mkdtemp(join(tmpdir(), 'watch-'));
  await mkdir(join(root, 'a.json'));
  const contents = watchFile(join(root, 'a.json'), { signal: new AbortController().signal });
  await assert.rejects(contents.next(), { name: 'Fault', message: /EISDIR/ });
  await rm(root, { recursive: true });
});

test('watchFile() ends at once when its signal aborts while it waits', options, async () => {
  const stop = new AbortController();
  const contents = watchFile('/nonexistent/folder/file', { signal: stop.signal });
  assert.equal((await contents.next()).value, undefined);
  const following = contents.next();
  stop.abort();
  assert.deepEqual(await following, { value: undefined, done: true });
});

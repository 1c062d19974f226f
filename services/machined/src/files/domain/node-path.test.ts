import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanPath, joinPath, pathFromRequest, relativePath, resolvePath } from './node-path.ts';

const missing = () => new Error('missing');

/** A folder of a simulated tree. Counts how many folders are open. */
class Folder implements Disposable {
  static open = 0;
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    Folder.open += 1;
  }

  [Symbol.dispose]() {
    Folder.open -= 1;
  }
}

/** Resolves a path in a simulated tree with these links and files; every other name is a folder. */
async function resolveAmong(
  links: ReadonlyMap<string, string>,
  path: string,
  files: ReadonlySet<string> = new Set(),
): Promise<string> {
  Folder.open = 0;
  const found = await resolvePath<Folder>(path, {
    openRoot: async () => new Folder('/'),
    async look(folder, name) {
      const at = joinPath(folder.path, name);
      const target = links.get(at);
      if (target !== undefined) return { kind: 'link', target };
      return files.has(at) ? { kind: 'other' } : { kind: 'folder', folder: new Folder(at) };
    },
  }).catch((error: unknown) => {
    assert.equal(Folder.open, 0);
    throw error;
  });
  assert.equal(Folder.open, 1);
  assert.equal(found.path, cleanPath(joinPath(found.folder.path, found.name)));
  return found.path;
}

test('resolvePath() follows relative, absolute and chained links, and stops at the root', async () => {
  const links = new Map([
    ['/var/run', '/run'],
    ['/etc/mtab', '../proc/mounts'],
    ['/proc/mounts', 'self/mounts'],
    ['/proc/self', '17'],
    ['/out', '../../../../../etc'],
    ['/proc/17/root', '/'],
    ['/a', 'b/'],
    ['/b', './/c/.'],
  ]);
  const rows: [string, string][] = [
    ['/', '/'],
    ['/var/run/machined', '/run/machined'],
    ['/etc/mtab', '/proc/17/mounts'],
    ['/out/shadow', '/etc/shadow'],
    ['/../../..', '/'],
    ['/proc/self/root/etc', '/etc'],
    ['/a/x/../y', '/c/y'],
    ['//a///', '/c'],
  ];
  for (const [path, expected] of rows) assert.equal(await resolveAmong(links, path), expected, path);
});

test('resolvePath() rejects circular links, and links that make the path longer each time', async () => {
  const circle = new Map([
    ['/a', '/b'],
    ['/b', 'a'],
    ['/grow', 'grow/x'],
  ]);
  for (const path of ['/a', '/b/c', '/grow']) {
    await assert.rejects(resolveAmong(circle, path), { code: 'ELOOP' });
  }
});

test('resolvePath() passes on the error of a missing file and closes all open folders', async () => {
  Folder.open = 0;
  const tree = {
    openRoot: async () => new Folder('/'),
    async look() {
      throw missing();
    },
  };
  await assert.rejects(resolvePath('/a/b', tree), missing());
  assert.equal(Folder.open, 0);
});

test('resolvePath() ends at a file and rejects names below it', async () => {
  const files = new Set(['/a/file']);
  assert.equal(await resolveAmong(new Map(), '/a/file/', files), '/a/file');
  for (const path of ['/a/file/b', '/a/file/..']) {
    await assert.rejects(resolveAmong(new Map(), path, files), { code: 'ENOTDIR' });
  }
});

test('resolvePath() rejects a path with more than 256 folders', async () => {
  const deep = (count: number) => '/a'.repeat(count);
  assert.equal(await resolveAmong(new Map(), deep(256)), deep(256));
  await assert.rejects(resolveAmong(new Map(), deep(257)), { code: 'ETOODEEP' });
});

const name = fc.constantFrom('a', 'b', 'c', '..', '.', '');
const anyPath = fc
  .tuple(fc.boolean(), fc.array(name, { minLength: 1, maxLength: 6 }))
  .map(([isAbsolute, names]) => (isAbsolute ? '/' : '') + names.join('/'));
const place = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
  .map((names) => `/${names.join('/')}`);

test('resolvePath() never leaves the root and never returns a path with a link in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        place,
        anyPath.filter((target) => target !== ''),
      ),
      anyPath,
      async (links, path) => {
        const known = new Map(Object.entries(links));
        let resolved: string;
        try {
          resolved = await resolveAmong(known, `/${path}`);
        } catch (error) {
          assert.equal((error as { code?: unknown }).code, 'ELOOP');
          return;
        }
        assert.equal(resolved, cleanPath(resolved));
        assert.ok(resolved.startsWith('/') && !resolved.split('/').includes('..'), resolved);
        let at = '';
        for (const part of resolved.split('/').filter((each) => each !== '')) {
          at += `/${part}`;
          assert.equal(known.has(at), false, at);
        }
        // A resolved path resolves to itself.
        assert.equal(await resolveAmong(known, resolved), resolved);
      },
    ),
  );
});

test('cleanPath(), joinPath() and relativePath() treat paths as a file system does', () => {
  assert.deepEqual(['', '/', '//a/', 'a/../..', '/..'].map(cleanPath), ['.', '/', '/a', '..', '/']);
  assert.deepEqual([joinPath('/', 'a'), joinPath('/a', 'b')], ['/a', '/a/b']);
  assert.deepEqual(
    [relativePath('/', '/a/b'), relativePath('/a', '/a/b'), relativePath('/a', '/a'), relativePath('/', '/')],
    ['a/b', 'b', '.', '.'],
  );
});

test('pathFromRequest() rejects a text with a NUL byte or longer than a path can be', () => {
  assert.equal(pathFromRequest('/é'), '/\xc3\xa9');
  assert.equal(pathFromRequest(`/${'a'.repeat(4094)}`).length, 4095);
  assert.throws(() => pathFromRequest('é'.repeat(2048)), {
    kind: 'unknown',
    message: 'a path of 4096 bytes, more than 4095: file name too long',
  });
  assert.throws(() => pathFromRequest('/a\0b'), { kind: 'invalid-argument', message: /NUL byte/ });
});

// A tree with every kind of file that a program without root can make, below the root of a node under test.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The modification time of some files of the tree, in seconds since 1970. */
export const treeModified = 1_700_000_000;

export interface FileTree extends AsyncDisposable {
  /** On this machine. */
  readonly path: string;
}

/**
 * `/data` below `root`: files, folders, links, a pipe, a socket, names that are hard to print, and a link to a folder
 * outside of the root.
 */
export async function makeFileTree(root: string): Promise<FileTree> {
  const path = join(root, 'data');
  mkdirSync(join(path, 'deep', 'er'), { recursive: true });
  writeFileSync(join(path, 'hello.txt'), 'hello\n');
  writeFileSync(join(path, 'empty'), '');
  writeFileSync(join(path, 'deep', 'er', 'bottom'), 'x'.repeat(3000));
  writeFileSync(join(path, 'sparse'), 'begin');
  truncateSync(join(path, 'sparse'), 5_000_000);
  linkSync(join(path, 'hello.txt'), join(path, 'hello again'));
  symlinkSync('/data/hello.txt', join(path, 'absolute'));
  symlinkSync('deep/er', join(path, 'relative'));
  symlinkSync('../../../../../../../../usr', join(path, 'escape'));
  symlinkSync('circle-b', join(path, 'circle-a'));
  symlinkSync('circle-a', join(path, 'circle-b'));
  symlinkSync('nowhere', join(path, 'dangling'));
  writeFileSync(join(path, 'two\nlines'), '2');
  const raw = Buffer.concat([Buffer.from(`${path}/bytes-`), Buffer.from([0xff, 0xfe])]);
  writeFileSync(raw, 'raw');
  utimesSync(raw, treeModified, treeModified);
  execFileSync('mkfifo', [join(path, 'pipe')]);
  chmodSync(join(path, 'hello.txt'), 0o4751);
  chmodSync(join(path, 'deep'), 0o1777);
  for (const name of ['hello.txt', 'empty', 'deep']) utimesSync(join(path, name), treeModified, treeModified);

  const server = createServer();
  // A socket's address has a length limit, so it is bound relative to its folder.
  const before = process.cwd();
  process.chdir(path);
  await new Promise<void>((resolve) => server.listen('socket', resolve));
  process.chdir(before);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

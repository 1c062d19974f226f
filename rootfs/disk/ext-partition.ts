import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LockedTools } from '../debian/locked-tools.ts';

export interface ExtPartitionInit {
  /** Of the file system, and of the partition. */
  readonly label: string;
  readonly bytes: number;
  /** The files, by path. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Unix time of every file and of the file system itself. */
  readonly epochSeconds: number;
  /** UUID of the file system, and the secret of its folder hashes: fixed, so that the bytes are the same every time. */
  readonly uuid: string;
  /** Whether machines write to it. */
  readonly isWritten?: boolean;
}

// The options of the file system, so that those of the building machine do not count. GRUB reads all of them. There are no checksums of
// metadata: a machine has no program that repairs a file system, and disks write sectors of 512 bytes. A superblock that the power cuts
// between its two sectors is fine without its checksum, and refused with it. The hash trees of dm-verity protect the contents.
const configuration = `[defaults]
base_features = sparse_super,large_file,filetype,dir_index,ext_attr
blocksize = 4096
inode_size = 256
reserved_ratio = 0
lazy_itable_init = 0
[fs_types]
ext4 = {
features = extent,huge_file,flex_bg,64bit,dir_nlink,extra_isize
}
`;

/** The smallest journal of blocks of 4 KiB: a machine changes a few blocks of metadata at a time. */
const journalMib = 4;

/**
 * Makes the file system of a partition and returns the path of its image. It is ext4, which GRUB reads and which is part of the kernel. A
 * partition that machines write to has a journal: without one a power cut could leave a file whose blocks the maps count as free, and
 * nobody would repair that before another file gets them.
 *
 * @param work an existing folder for intermediate files
 * @throws Error with the tool's message, for example when the files do not fit
 */
export function makeExtPartition(
  tools: LockedTools,
  work: string,
  { label, bytes, files, epochSeconds, uuid, isWritten = false }: ExtPartitionInit,
): string {
  const [image, settings, commands] = [`${label}.ext4`, 'mke2fs.conf', 'debugfs.commands'].map((name) =>
    join(work, name),
  ) as [string, string, string];
  rmSync(image, { force: true });
  writeFileSync(settings, configuration);
  const env = { E2FSPROGS_FAKE_TIME: String(epochSeconds), MKE2FS_CONFIG: settings };
  const identity = ['-L', label, '-U', uuid, '-E', `hash_seed=${uuid},root_owner=0:0`];
  const journal = isWritten ? ['-J', `size=${journalMib}`] : [];
  tools.run('usr/sbin/mke2fs', ['-q', '-t', 'ext4', ...identity, ...journal, image, `${bytes / 1024}k`], {
    env,
  });
  // Files are added one by one, because a copied folder would bring its order, owners, modes and times.
  const lines = nodesOf(Object.keys(files)).flatMap((node, index) => {
    const content = files[node.path.slice(1)];
    const source = join(work, `file-${index}`);
    if (content !== undefined) writeFileSync(source, content);
    return [...creationOf(node, source), ...ownerCommands(node, epochSeconds)];
  });
  writeFileSync(commands, lines.map((line) => `${line}\n`).join(''));
  tools.run('usr/sbin/debugfs', ['-w', '-f', commands, image], { env });
  checkFiles(tools, work, image, { label, files });
  return image;
}

/** debugfs ends with 0 after an error, so read everything back. */
function checkFiles(
  tools: LockedTools,
  work: string,
  image: string,
  { label, files }: Pick<ExtPartitionInit, 'label' | 'files'>,
): void {
  for (const [path, content] of Object.entries(files)) {
    const copy = join(work, 'copy');
    rmSync(copy, { force: true });
    tools.run('usr/sbin/debugfs', ['-R', `dump /${path} ${copy}`, image]);
    if (!existsSync(copy) || !readFileSync(copy).equals(content))
      throw new Error(`partition ${label} is too small for ${path}`);
  }
}

interface Node {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The root exists already. */
function creationOf({ path, isFolder }: Node, source: string): string[] {
  if (path === '/') return [];
  return [isFolder ? `mkdir ${path}` : `write ${source} ${path}`];
}

function nodesOf(paths: readonly string[]): Node[] {
  const files = paths.toSorted().map((path) => ({ path: `/${path}`, isFolder: false }));
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)));
  return [...[...folders].sort().map((path) => ({ path, isFolder: true })), ...files];
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '/' ? ['/'] : [...parentsOf(parent), parent];
}

function ownerCommands({ path, isFolder }: Node, epochSeconds: number): string[] {
  const times = ['ctime', 'atime', 'mtime', 'crtime'].map((field) => [field, `@${epochSeconds}`] as const);
  const fields = [
    ...([
      ['uid', '0'],
      ['gid', '0'],
      ['mode', isFolder ? '040755' : '0100644'],
    ] as const),
    ...times,
    ...times.map(([field]) => [`${field}_extra`, '0'] as const),
  ];
  return fields.map(([field, value]) => `set_inode_field ${path} ${field} ${value}`);
}

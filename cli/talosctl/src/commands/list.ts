import {
  type FileInfo,
  type ListRequest,
  ListRequest_Type,
} from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';
import type { CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import {
  addNodeOptions,
  addOutputOption,
  collectList,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { reportFiles } from '../nodes/report-files.ts';
import { formatFileMode } from '../render/file-mode.ts';
import { formatFileTime } from '../render/file-time.ts';
import { formatRelativeSeconds } from '../render/relative-time.ts';
import { formatDecimalSize } from '../render/size.ts';
import { wholeNumberBetween } from '../values/parse-whole-number.ts';

interface ListOptions extends NodeOptions, OutputOptions {
  readonly long?: boolean;
  readonly recurse?: boolean;
  readonly depth: number;
  readonly humanize?: boolean;
  readonly type?: readonly string[];
}

const maxDepth = 2 ** 31 - 1;
const labelName = 'security.selinux';

const types: Readonly<Record<string, ListRequest_Type>> = {
  f: ListRequest_Type.REGULAR,
  d: ListRequest_Type.DIRECTORY,
  l: ListRequest_Type.SYMLINK,
};

function collectTypes(text: string, before: readonly string[] = []): string[] {
  const words = collectList(text, before);
  const unknown = words.find((word) => !Object.hasOwn(types, word));
  if (unknown !== undefined) throw new InvalidArgumentError(`It must be of f, d and l, not "${unknown}".`);
  return words;
}

function listRequest(
  root: string,
  { recurse = false, depth, type = [], long = false }: ListOptions,
): ListRequest {
  if (recurse && depth !== 1) throw new UsageFault('flag --recurse lists all levels: leave --depth out');
  return {
    root,
    recurse: recurse || depth > 1,
    recursionDepth: recurse ? -1 : depth,
    types: type.map((word) => types[word] as ListRequest_Type),
    reportXattrs: long,
  };
}

/** The SELinux label of a file, or an empty text. */
function labelOf({ xattrs }: FileInfo): string {
  const data = xattrs.find(({ name }) => name === labelName)?.data ?? Buffer.alloc(0);
  return data.toString('utf8').replaceAll('\0', '');
}

const modifiedAt = ({ modified }: FileInfo) => new Date(Number(modified) * 1000);

function longRow(node: string, file: FileInfo, humanize: boolean, now: Date): string[] {
  return [
    node,
    formatFileMode(file.mode),
    String(file.uid),
    String(file.gid),
    humanize ? formatDecimalSize(file.size) : String(file.size),
    humanize ? formatRelativeSeconds(Number(file.modified), now) : formatFileTime(file.modified, now),
    labelOf(file),
    file.relativeName + (file.link === '' ? '' : ` -> ${file.link}`),
  ];
}

function fileDocument(file: FileInfo, long: boolean): object {
  const { name, relativeName, size, mode, isDir, uid, gid, link, xattrs } = file;
  const modified = modifiedAt(file);
  return {
    name,
    relativeName,
    mode,
    modeText: formatFileMode(mode),
    isDir,
    size,
    uid,
    gid,
    // A modification time may be outside the range of `Date`: then write the number.
    modified: Number.isNaN(modified.getTime()) ? file.modified : modified.toISOString().replace('.000', ''),
    ...(link === '' ? {} : { link }),
    ...(long
      ? { xattrs: xattrs.map((each) => ({ name: each.name, data: each.data.toString('base64') })) }
      : {}),
  };
}

/** `talosctl list [path]`. Source: Talos v1.14: list. */
export const listCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .argument('[path]', 'folder or file on the node', '/')
      .option('-l, --long', 'show modes, owners, sizes and times')
      .option('-r, --recurse', 'list subfolders, on all levels')
      .option(
        '-d, --depth <levels>',
        'how many levels of folders to show',
        wholeNumberBetween(0, maxDepth),
        1,
      )
      .option('-H, --humanize', 'with -l: print human-readable sizes and times')
      .option(
        '-t, --type <types>',
        'only these types, separated by commas: f (files), d (folders), l (links)',
        collectTypes,
      )
      .action((path: string, options: ListOptions) => {
        const { long = false, humanize = false } = options;
        const now = env.now();
        const request = listRequest(path, options);
        return reportFiles(env, options, {
          call: (node, signal) => node.machine.list(request, { signal }),
          header: (nodes) => {
            if (long) return ['NODE', 'MODE', 'UID', 'GID', 'SIZE(B)', 'LASTMOD', 'LABEL', 'NAME'];
            return nodes > 1 ? ['NODE', 'NAME'] : undefined;
          },
          row: (node, file, nodes) => {
            if (long) return longRow(node, file, humanize, now);
            return nodes > 1 ? [node, file.relativeName] : [file.relativeName];
          },
          document: (file) => fileDocument(file, long),
        });
      });
  },
};

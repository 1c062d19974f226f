import type { CommandModule } from '../context/command-module.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { type NodeReport, reportNodes } from '../nodes/report-nodes.ts';
import { formatBinarySize, formatCount, formatPercentUsed } from '../render/size.ts';
import { type MountedVolume, type MountedVolumes, mountedVolumes } from '../values/mounted-volumes.ts';

interface DiskfreeOptions extends NodeOptions, OutputOptions {
  readonly bytes: boolean;
  readonly inodes: boolean;
}

function headerOf({ inodes }: DiskfreeOptions): string[] {
  const columns = inodes ? ['INODES', 'IUSED', 'IFREE', '%IUSED'] : ['SIZE', 'USED', 'AVAILABLE', 'USAGE'];
  return ['NODE', 'VOLUME', 'FILESYSTEM', ...columns, 'MOUNT POINT'];
}

function rowOf(node: string, { volume, source, target, space }: MountedVolume, options: DiskfreeOptions) {
  const { size, used, available, inodes, inodesUsed, inodesFree } = space;
  const sizeText = options.bytes ? String : formatBinarySize;
  const columns = options.inodes
    ? [...[inodes, inodesUsed, inodesFree].map(formatCount), formatPercentUsed(inodesUsed, inodesFree)]
    : [...[size, used, available].map(sizeText), formatPercentUsed(used, available)];
  return [node, volume, source, ...columns, target];
}

function reportOf(volume: string | undefined, options: DiskfreeOptions): NodeReport<MountedVolumes> {
  return {
    call: (node, signal) => mountedVolumes(node, volume, signal),
    header: headerOf(options),
    headerWithoutRows: false,
    flushWhenIdle: false,
    rows: (node, { volumes }) => volumes.map((mounted) => rowOf(node, mounted, options)),
    failures: ({ failures }) => failures,
    remark: ({ volumes, failures }) =>
      volumes.length + failures.length === 0 ? 'has no mounted volumes of its own' : undefined,
    document: ({ volumes }) => ({ volumes: volumes.map(({ space, ...rest }) => ({ ...rest, ...space })) }),
  };
}

/** `talosctl diskfree [volume]`. Source: Talos v1.14: diskfree. */
export const diskfreeCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .argument('[volume]', 'volume to show (default: all mounted volumes)')
      .option('-b, --bytes', 'print sizes in bytes', false)
      .option('-i, --inodes', 'show inodes instead of sizes', false)
      .action((volume: string | undefined, options: DiskfreeOptions) =>
        reportNodes(env, options, reportOf(volume, options)),
      );
  },
};

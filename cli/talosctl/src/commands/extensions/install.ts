import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type {
  InstallRequest,
  InstallResponse,
} from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { readFault } from '../../context/read-input.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { TransferProgress } from '../../nodes/transfer-progress.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { layersText, shortHash } from './set-text.ts';

/** Bytes per message. */
const chunkBytes = 64 * 1024;

/** `talosctl extensions install <set>`: sends a set to each machine, which tries it at its next start. */
export function defineExtensionsInstall(extensions: Command, env: CliEnvironment): void {
  addOutputOption(
    extensions
      .command('install')
      .description('Install a signed set of system extensions, which machines try at their next start'),
  )
    .alias('upgrade')
    .argument('<set>', 'file that "make extension-set" wrote')
    .action(async (path: string, _: OutputOptions, command: Command) => {
      const file = resolve(env.cwd, path);
      const { size } = await stat(file).catch((error: unknown) => {
        throw readFault(JSON.stringify(path), error);
      });
      const uploads = new Map<string, TransferProgress>();
      await reportNodes<InstallResponse>(env, command.optsWithGlobals<NodeOptions & OutputOptions>(), {
        call: (node, signal) => {
          const upload = new TransferProgress(size);
          uploads.set(node.name, upload);
          return node.extensionSets.install(chunksOf(file, upload), { signal });
        },
        progress: (node) => uploadText(node, uploads.get(node), size),
        header: ['NODE', 'SET', 'SIZE', 'EXTENSIONS'],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, { set }) =>
          set === undefined
            ? []
            : [[node, shortHash(set.rootHash), formatDecimalSize(set.sizeBytes), layersText(set)]],
        remark: () =>
          'tries the set at its next start, and keeps the old one until then: "talosctl reboot" restarts it',
        document: (installed) => installed,
      });
    });
}

async function* chunksOf(
  file: string,
  upload: TransferProgress,
): AsyncGenerator<InstallRequest, void, undefined> {
  for await (const piece of createReadStream(file, { highWaterMark: chunkBytes })) {
    const chunk = piece as Buffer;
    yield { chunk };
    // The next one is asked for when this one was sent.
    upload.add(chunk.length);
  }
}

function uploadText(node: string, upload: TransferProgress | undefined, totalBytes: number): string {
  if (upload === undefined) return `waiting for ${node}`;
  return upload.bytes < totalBytes
    ? `${node}: ${upload.text}`
    : `waiting for ${node} to verify and keep the set`;
}

import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type {
  InstallRequest,
  InstallResponse,
} from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../node-options.ts';
import { readFault } from '../../read-input.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { reportNodes } from '../../report-nodes.ts';
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
      await access(file).catch((error: unknown) => {
        throw readFault(JSON.stringify(path), error);
      });
      await reportNodes<InstallResponse>(env, command.optsWithGlobals<NodeOptions & OutputOptions>(), {
        call: (node, signal) => node.extensionSets.install(chunksOf(file), { signal }),
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

async function* chunksOf(file: string): AsyncGenerator<InstallRequest, void, undefined> {
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes }))
    yield { chunk: chunk as Buffer };
}

import { resolve } from 'node:path';
import type { NodeClient } from '@nodewright/client';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
import { addNodeOptions, addOutputOption, type NodeOptions, type OutputOptions } from '../node-options.ts';
import { onlyTarget } from '../only-target.ts';
import { openClient } from '../open-client.ts';
import { writeDocument } from '../render/document.ts';
import { writeSlowly } from '../write-slowly.ts';

const toStdout = '-';

async function writeArchive(env: CliEnvironment, node: NodeClient, rootPath: string): Promise<void> {
  for await (const { bytes } of node.machine.copy({ rootPath }, { signal: env.signal })) {
    await writeSlowly(env.stdout, bytes);
  }
}

async function extract(
  env: CliEnvironment,
  node: NodeClient,
  rootPath: string,
  folder: string,
  { output }: OutputOptions,
): Promise<void> {
  const { extractArchive } = await import('../archive/extract-archive.ts');
  async function* pieces() {
    for await (const { bytes } of node.machine.copy({ rootPath }, { signal: env.signal })) yield bytes;
  }
  const { skipped, ...counts } = await extractArchive(pieces(), folder);
  for (const { name, reason } of skipped) env.stderr.write(`skipped ${JSON.stringify(name)}: ${reason}\n`);
  if (output === 'table') return;
  await writeDocument(env.stdout, output, { node: node.name, path: rootPath, folder, ...counts, skipped });
}

/** `talosctl copy <path> -|<folder>`. Source: Talos v1.14: copy. */
export const copyCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .argument('<src-path>', 'file or folder on the node')
      .argument(
        '<local-path>',
        'folder here that it is copied into, made when it is missing; -: the archive (tar.gz) on stdout',
      )
      .action(async (source: string, target: string, options: NodeOptions & OutputOptions) => {
        using client = await openClient(env, options);
        const node = onlyTarget(client, 'copy');
        if (target === toStdout) await writeArchive(env, node, source);
        else await extract(env, node, source, resolve(env.cwd, target), options);
      });
  },
};

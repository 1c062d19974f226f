import { resolve } from 'node:path';
import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyTarget } from '../nodes/only-target.ts';
import { openClient } from '../nodes/open-client.ts';
import { showTransfer } from '../nodes/show-transfer.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import { gatherBytes } from '../values/gather-bytes.ts';

const toStdout = '-';

/** The archive that a node sends. `failed` is true after a failure of the node, but not of the local disk. */
class ArchiveSource {
  failed = false;
  readonly #env: CliEnvironment;
  readonly #node: NodeClient;
  readonly #rootPath: string;

  constructor(env: CliEnvironment, node: NodeClient, rootPath: string) {
    this.#env = env;
    this.#node = node;
    this.#rootPath = rootPath;
  }

  /** @param target the stream that receives the bytes, which may be a terminal; omitted when they go to files */
  async *pieces(target: { readonly isTTY?: boolean | undefined } = {}): AsyncGenerator<Uint8Array> {
    const env = this.#env;
    const pieces = this.#node.machine.copy({ rootPath: this.#rootPath }, { signal: env.signal });
    try {
      yield* showTransfer(env, this.#node.name, gatherBytes(pieces), target);
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}

async function writeArchive(env: CliEnvironment, source: ArchiveSource): Promise<void> {
  for await (const bytes of source.pieces(env.stdout)) await writeSlowly(env.stdout, bytes);
}

async function extract(
  env: CliEnvironment,
  source: ArchiveSource,
  folder: string,
  facts: { readonly node: string; readonly path: string },
  { output }: OutputOptions,
): Promise<void> {
  const { extractArchive } = await import('../archive/extract-archive.ts');
  const { skipped, ...counts } = await extractArchive(source.pieces(), folder);
  for (const { name, reason } of skipped)
    env.stderr.write(`skipped ${JSON.stringify(name)}: ${escapeEntry(reason)}\n`);
  if (output !== 'table') await writeDocument(env.stdout, output, { ...facts, folder, ...counts, skipped });
}

async function copy(
  env: CliEnvironment,
  path: string,
  target: string,
  options: NodeOptions & OutputOptions,
): Promise<void> {
  using client = await openClient(env, options);
  const node = onlyTarget(client, 'copy');
  const source = new ArchiveSource(env, node, path);
  const errors = new NodeErrors(env);
  try {
    if (target === toStdout) await writeArchive(env, source);
    else await extract(env, source, resolve(env.cwd, target), { node: node.name, path }, options);
  } catch (error) {
    if (!source.failed) throw error;
    errors.add(node.name, faultFrom(error));
  }
  errors.end();
}

/** `talosctl copy <path> -|<folder>`. Source: Talos v1.14: copy. */
export const copyCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .argument('<src-path>', 'file or folder on the node')
      .argument(
        '<local-path>',
        'local folder to copy into, created if missing; - writes the archive (tar.gz) to stdout',
      )
      .action((source: string, target: string, options: NodeOptions & OutputOptions) =>
        copy(env, source, target, options),
      );
  },
};

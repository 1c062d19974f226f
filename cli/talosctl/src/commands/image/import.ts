import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ImageServiceImportRequest } from '@nodewright/contract/gen/machine/image.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { readFault } from '../../context/read-input.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { printableCell } from '../../render/printable.ts';
import { addImageCommand, containerdInstance, type ImageOptions } from './image-options.ts';

/** Bytes per message. Source: Talos v1.14: debug, import of an image. */
const chunkBytes = 32 * 1024;

/** `talosctl image import <tar>`: upstream has the call, which its `debug` command uses, but not this command. */
export function defineImageImport(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'import', 'Import images from a local archive (OCI layout or docker save)')
    .argument('<path>', 'tar archive')
    .action(async (path: string, _: ImageOptions, command: Command) => {
      const options = command.optsWithGlobals<ImageOptions>();
      const file = resolve(env.cwd, path);
      await access(file).catch((error: unknown) => {
        throw readFault(JSON.stringify(path), error);
      });
      await reportNodes<string>(env, options, {
        call: async (node, signal) => (await node.image.import(requests(file, options), { signal })).name,
        header: [],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: () => [],
        remark: (name) => `imported image ${printableCell(name)}`,
        document: (name) => ({ image: name }),
      });
    });
}

async function* requests(
  file: string,
  options: ImageOptions,
): AsyncGenerator<ImageServiceImportRequest, void, undefined> {
  yield { request: { $case: 'containerd', value: containerdInstance(options) } };
  for await (const bytes of createReadStream(file, { highWaterMark: chunkBytes })) {
    yield { request: { $case: 'imageChunk', value: { metadata: undefined, bytes: bytes as Buffer } } };
  }
}

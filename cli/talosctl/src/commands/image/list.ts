import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { formatUnixTime } from '../../render/unix-time.ts';
import { addImageCommand, containerdInstance, type ImageOptions } from './image-options.ts';

interface Image {
  readonly name: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: bigint;
  readonly created: string;
  readonly labels: Readonly<Record<string, string>>;
}

type Timestamp = { readonly seconds: bigint; readonly nanos: number } | undefined;

function timeText(time: Timestamp): string {
  return time === undefined ? '' : formatUnixTime(time.seconds);
}

/** The images of a node. If the node has no image service, it uses the older call of the machine service. */
async function imagesOf(node: NodeClient, options: ImageOptions, signal: AbortSignal): Promise<Image[]> {
  const containerd = containerdInstance(options);
  const images: Image[] = [];
  try {
    for await (const { createdAt, ...image } of node.image.list({ containerd }, { signal })) {
      images.push({ ...image, created: timeText(createdAt) });
    }
  } catch (error) {
    if (faultFrom(error).kind !== 'unimplemented') throw error;
    const { namespace } = containerd;
    for await (const image of node.machine.imageList({ namespace }, { signal })) {
      const { name, digest, size, createdAt } = image;
      images.push({ name, digest, size, created: timeText(createdAt), labels: {} });
    }
  }
  return images;
}

const labelsText = (labels: Image['labels']) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(',');

/** `talosctl image list`. Source: Talos v1.14: image list. */
export function defineImageList(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'list', 'List the images of nodes')
    .aliases(['l', 'ls'])
    .action((_: ImageOptions, command: Command) => {
      const options = command.optsWithGlobals<ImageOptions>();
      return reportNodes<readonly Image[]>(env, options, {
        call: (node, signal) => imagesOf(node, options, signal),
        header: ['NODE', 'IMAGE', 'DIGEST', 'SIZE', 'LABELS', 'CREATED'],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, images) =>
          images.map(({ name, digest, size, labels, created }) => [
            ...[node, name, digest, formatDecimalSize(size), labelsText(labels), created],
          ]),
        document: (images) => ({ images }),
      });
    });
}

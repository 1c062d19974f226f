import { open, stat } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { LogLine, LogRequest } from '../domain/provisioner.ts';

const pollMs = 200;
const chunkBytes = 64 * 1024;

/**
 * Yields the output of the machineds of these nodes, node by node, and with `follow` later output until the
 * signal is aborted.
 */
export async function* followNodeLogs(
  folder: ClusterFolder,
  nodes: readonly string[],
  { follow, signal }: Pick<LogRequest, 'follow' | 'signal'>,
): AsyncGenerator<LogLine> {
  const tails = nodes.map((name) => new FileTail(name, folder.nodeLog(name)));
  for (;;) {
    for (const tail of tails) yield* tail.read(signal);
    if (!follow || signal.aborted) break;
    await pause(pollMs, signal);
  }
  for (const tail of tails) yield* tail.rest();
}

/**
 * Reads the lines that were appended to a file since the previous read. Starts again when the file was
 * replaced.
 */
class FileTail {
  readonly #node: string;
  readonly #path: string;
  #inode = 0;
  #position = 0;
  #partial = Buffer.alloc(0);

  constructor(node: string, path: string) {
    this.#node = node;
    this.#path = path;
  }

  async *read(signal: AbortSignal): AsyncGenerator<LogLine> {
    const facts = await stat(this.#path).catch(() => undefined);
    if (facts === undefined) return;
    if (facts.ino !== this.#inode || facts.size < this.#position) {
      this.#inode = facts.ino;
      this.#position = 0;
      // The rest of this line is not in the new file.
      this.#partial = Buffer.alloc(0);
    }
    if (facts.size === this.#position) return;
    await using file = await open(this.#path, 'r');
    const chunk = Buffer.alloc(chunkBytes);
    while (!signal.aborted) {
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      yield* this.#lines(chunk.subarray(0, bytesRead));
    }
  }

  /** Yields the last line if it has no line break. */
  *rest(): Generator<LogLine> {
    if (this.#partial.length > 0) yield { node: this.#node, text: this.#partial.toString('utf8') };
    this.#partial = Buffer.alloc(0);
  }

  *#lines(bytes: Buffer): Generator<LogLine> {
    let rest = Buffer.concat([this.#partial, bytes]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield { node: this.#node, text: rest.subarray(0, end).toString('utf8') };
      rest = rest.subarray(end + 1);
    }
    this.#partial = rest;
  }
}

import type { Timers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { formatTable } from '../render/table.ts';
import { LineSplitter } from '../values/line-splitter.ts';
import type { RecordedSpec } from './recorded-call.ts';
import type { KnownSecrets } from './secret-filter.ts';
import { SecretFilter } from './secret-filter.ts';

export type Content = AsyncIterable<Uint8Array | string>;

/** What a collector may use. */
export interface CollectContext {
  readonly node: NodeClient;
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly secrets: KnownSecrets;
  /** Collects the protobuf form of resources that hold no secret. */
  readonly specs: RecordedSpec[];
}

/** One file of the archive, and how to produce it. */
export interface Collector {
  /** Path below the folder of the node. */
  readonly path: string;
  /** The name of the source in the table of failures. Default: the path. */
  readonly source?: string;
  /** Reads what must be known before any file of any node is written. What it fails with, `collect` fails with too. */
  readonly learn?: (context: CollectContext) => Promise<void>;
  /** Throws to fail; the part that was written before is kept. */
  readonly collect: (context: CollectContext) => Content;
}

/** A text of the node without its secrets, line by line, for any chunking. */
export async function* withoutSecrets(
  pieces: AsyncIterable<{ readonly bytes: Uint8Array }>,
  secrets: KnownSecrets,
): AsyncGenerator<string> {
  const filter = new SecretFilter(secrets);
  const splitter = new LineSplitter();
  const redacted = (lines: Iterable<string>) => {
    let text = '';
    for (const line of lines) {
      const left = filter.line(line);
      if (left !== undefined) text += `${left}\n`;
    }
    return text;
  };
  for await (const { bytes } of pieces) yield redacted(splitter.push(bytes));
  yield redacted(splitter.end());
}

/** A collector whose content is one text. */
export function textCollector(path: string, read: (context: CollectContext) => Promise<string>): Collector {
  return {
    path,
    async *collect(context) {
      yield new SecretFilter(context.secrets).text(await read(context));
    },
  };
}

/** The lines of a table for people. */
export function tableText(rows: readonly (readonly string[])[]): string {
  return `${formatTable(rows).join('\n')}\n`;
}

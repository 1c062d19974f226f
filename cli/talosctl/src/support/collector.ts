import type { NodeClient } from '@nodewright/client';
import { LineSplitter } from '../line-splitter.ts';
import { formatTable } from '../render/table.ts';
import type { KnownSecrets } from './secret-filter.ts';
import { SecretFilter } from './secret-filter.ts';

export type Content = AsyncIterable<Uint8Array | string>;

/** What a collector may use. */
export interface CollectContext {
  readonly node: NodeClient;
  readonly signal: AbortSignal;
  readonly secrets: KnownSecrets;
}

/** One file of the archive, and how it comes about. */
export interface Collector {
  /** Below the folder of the node. */
  readonly path: string;
  /** What is asked for, as the table of failures names it. Default: the path. */
  readonly source?: string;
  /** Throws to fail; what came before is kept. */
  readonly collect: (context: CollectContext) => Content;
}

/** The text of a node without its secrets, line by line, whatever pieces it comes in. */
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

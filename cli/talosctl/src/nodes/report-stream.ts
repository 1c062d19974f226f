import type { NodeClient } from '@nodewright/client';
import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { documentError, openItems } from '../render/document.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';

/** Describes the stream that a command reads from each node, and how its items are printed. */
export interface StreamReport<Item> {
  /** Whether the stream continues until Ctrl-C. Then each document is printed separately instead of in a list. */
  readonly isEndless: boolean;
  readonly call: (node: NodeClient, signal: AbortSignal) => AsyncIterable<Item>;
  /** A header, printed before items that are printed as text. */
  readonly head?: string;
  /** The text of an item. */
  readonly text: (node: string, item: Item) => string;
  /** The item as documents, to which `node` is added. */
  readonly documents: (item: Item) => readonly object[];
}

/**
 * Reads the streams of all targets in parallel and prints items as they arrive. It stops when all streams have ended or
 * the user presses Ctrl-C, which is not a failure. @throws ReportedFailure when a node failed
 */
export async function reportStream<Item>(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions,
  { isEndless, call, head = '', text, documents }: StreamReport<Item>,
): Promise<void> {
  using client = await openClient(env, options);
  const errors = new NodeErrors(env);
  const document = options.output === 'table' ? undefined : openItems(env.stdout, options.output, isEndless);
  if (document === undefined && head !== '') await writeSlowly(env.stdout, head);
  const missing = new Set(client.targets.map(({ name }) => name));
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const markAnswered = (node: string) => {
    progress.pause();
    missing.delete(node);
    if (missing.size === 0) progress[Symbol.dispose]();
  };
  // A node that ends its stream without an item has answered too.
  const callAndEnd = async function* (node: NodeClient, signal: AbortSignal) {
    yield* call(node, signal);
    markAnswered(node.name);
  };
  for await (const { node, value, fault } of client.fanOutStream(callAndEnd, { signal: env.signal })) {
    markAnswered(node);
    if (fault !== undefined) {
      if (fault.kind === 'cancelled' && env.signal.aborted) continue;
      errors.add(node, fault);
      await document?.add({ node, error: documentError(fault) });
    } else if (document === undefined) {
      const shown = text(node, value);
      if (shown !== '') await writeSlowly(env.stdout, shown);
    } else {
      for (const item of documents(value)) await document.add({ node, ...item });
    }
  }
  progress[Symbol.dispose]();
  document?.end();
  errors.end();
}

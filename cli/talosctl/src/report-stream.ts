import type { NodeClient } from '@nodewright/client';
import type { CliEnvironment } from './command-module.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';
import { Progress } from './progress.ts';
import { documentError, openItems } from './render/document.ts';
import { writeSlowly } from './write-slowly.ts';

/** How a command listens to nodes and shows what they say. */
export interface StreamReport<Item> {
  /** Whether it goes on until the user has seen enough. Documents are then one a line, and not a list. */
  readonly isEndless: boolean;
  readonly call: (node: NodeClient, signal: AbortSignal) => AsyncIterable<Item>;
  /** Printed before everything else, where items are printed as text. */
  readonly head?: string;
  /** What is printed of an item. */
  readonly text: (node: string, item: Item) => string;
  /** The same as documents, each beside its `node`. */
  readonly documents: (item: Item) => readonly object[];
}

/**
 * Listens to every target at once and shows what comes as it comes, until all of them have ended or the user has seen
 * enough, which is no failure. A node that fails costs the others nothing. @throws ReportedFailure when any did
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
  const heard = (node: string) => {
    progress.pause();
    missing.delete(node);
    if (missing.size === 0) progress[Symbol.dispose]();
  };
  // A node that ends without a word has answered as well.
  const callAndEnd = async function* (node: NodeClient, signal: AbortSignal) {
    yield* call(node, signal);
    heard(node.name);
  };
  for await (const { node, value, fault } of client.fanOutStream(callAndEnd, { signal: env.signal })) {
    heard(node);
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

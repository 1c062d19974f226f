import type { NodeClient } from '@nodewright/client';
import type { CliEnvironment } from './command-module.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';
import { documentError, ListDocument } from './render/document.ts';
import { writeSlowly } from './write-slowly.ts';

/** How a command listens to nodes and shows what they say. */
export interface StreamReport<Item> {
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
  { call, head = '', text, documents }: StreamReport<Item>,
): Promise<void> {
  using client = await openClient(env, options);
  const errors = new NodeErrors(env);
  const document = options.output === 'table' ? undefined : new ListDocument(env.stdout, options.output);
  if (document === undefined && head !== '') await writeSlowly(env.stdout, head);
  for await (const { node, value, fault } of client.fanOutStream(call, { signal: env.signal })) {
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
  document?.end();
  errors.end();
}

import type { NodeClient, NodeResult } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from './command-module.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';
import { Progress } from './progress.ts';
import { documentError, writeDocument } from './render/document.ts';
import { Table } from './render/table.ts';

/** Rows that have waited this long for others are printed. Source: Talos v1.14: flush of tables. */
const flushAfterMs = 500;

/** What a command asks each node, and how the answers are shown. */
export interface NodeReport<T> {
  readonly call: (node: NodeClient, signal: AbortSignal) => Promise<T>;
  readonly header: readonly string[];
  readonly headerWithoutRows: boolean;
  /** Whether rows are printed as soon as no more have come for half a second, or only at the end. */
  readonly flushWhenIdle: boolean;
  /** The rows of one node. Throws a Fault to make the answer an error of that node. */
  readonly rows: (node: string, value: T) => readonly (readonly string[])[];
  /** The same answer as fields of a document, beside `node`. May throw as `rows` does. */
  readonly document: (value: T) => object;
}

/**
 * Asks every target of the command line and prints one table, or one document. A node that fails costs the others
 * nothing: its error comes after the table, and the command then fails.
 */
export async function reportNodes<T>(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions,
  report: NodeReport<T>,
): Promise<void> {
  using client = await openClient(env, options);
  const names = client.targets.map(({ name }) => name);
  const missing = new Set(names);
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const results = client.fanOut(report.call, { signal: env.signal });
  const arrived = tap(results, ({ node }) => missing.delete(node));
  if (options.output === 'table') await printTable(env, names, report, arrived, progress);
  else await printDocument(env, options.output, names, report, arrived, progress);
}

async function* tap<T>(items: AsyncIterable<T>, see: (item: T) => void): AsyncGenerator<T, void, undefined> {
  for await (const item of items) {
    see(item);
    yield item;
  }
}

/** Rows that are printed together stand in the order in which the nodes were named, whoever answered first. */
async function printTable<T>(
  env: CliEnvironment,
  names: readonly string[],
  { header, headerWithoutRows, flushWhenIdle, rows }: NodeReport<T>,
  results: AsyncIterable<NodeResult<T>>,
  progress: Progress,
): Promise<void> {
  const table = new Table(env.stdout, { header, headerWithoutRows });
  const errors = new NodeErrors(env);
  const waiting = new Map<string, readonly (readonly string[])[]>();
  const flush = () => {
    for (const name of names) for (const row of waiting.get(name) ?? []) table.add(row);
    waiting.clear();
    table.flush();
  };
  let timer: NodeJS.Timeout | undefined;
  for await (const result of results) {
    clearTimeout(timer);
    try {
      if (result.fault !== undefined) throw result.fault;
      waiting.set(result.node, rows(result.node, result.value));
    } catch (error) {
      errors.add(result.node, faultFrom(error));
    }
    if (flushWhenIdle) {
      timer = setTimeout(() => {
        progress.pause();
        flush();
      }, flushAfterMs);
    }
  }
  clearTimeout(timer);
  progress[Symbol.dispose]();
  flush();
  table.end();
  errors.end();
}

/** One list with an entry a node, in the order in which the nodes were named. */
async function printDocument<T>(
  env: CliEnvironment,
  format: 'json' | 'yaml',
  names: readonly string[],
  { document }: NodeReport<T>,
  results: AsyncIterable<NodeResult<T>>,
  progress: Progress,
): Promise<void> {
  const errors = new NodeErrors(env);
  const entries = new Map<string, object>();
  for await (const result of results) {
    const { node } = result;
    try {
      if (result.fault !== undefined) throw result.fault;
      entries.set(node, { node, ...document(result.value) });
    } catch (error) {
      const fault = faultFrom(error);
      errors.add(node, fault);
      entries.set(node, { node, error: documentError(fault) });
    }
  }
  progress[Symbol.dispose]();
  await writeDocument(
    env.stdout,
    format,
    names.flatMap((name) => entries.get(name) ?? []),
  );
  errors.end();
}

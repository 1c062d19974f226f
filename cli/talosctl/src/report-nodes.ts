import type { NodeClient, NodeResult } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { type Fault, faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from './command-module.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';
import { escapeLine } from './output/escape-text.ts';
import { Progress } from './progress.ts';
import { documentError, writeDocument } from './render/document.ts';
import type { DocumentFormat } from './render/output-format.ts';
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
  /** What of an answer is missing, beside what there is. */
  readonly failures?: (value: T) => readonly Fault[];
  /** A line for people about an answer that their table does not show, without the node's name. */
  readonly remark?: (value: T) => string | undefined;
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
  { header, headerWithoutRows, flushWhenIdle, rows, failures, remark }: NodeReport<T>,
  results: AsyncIterable<NodeResult<T>>,
  progress: Progress,
): Promise<void> {
  const table = new Table(env.stdout, { header, headerWithoutRows });
  const errors = new NodeErrors(env);
  const waiting = new Map<string, readonly (readonly string[])[]>();
  const remarks: string[] = [];
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
      for (const fault of failures?.(result.value) ?? []) errors.add(result.node, fault);
      const line = remark?.(result.value);
      if (line !== undefined) remarks.push(`${nodeNameInLine(result.node)} ${escapeLine(line)}\n`);
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
  if (remarks.length > 0) env.stderr.write(remarks.join(''));
  errors.end();
}

/** One list with an entry a node, in the order in which the nodes were named. */
async function printDocument<T>(
  env: CliEnvironment,
  format: DocumentFormat,
  names: readonly string[],
  { document, failures }: NodeReport<T>,
  results: AsyncIterable<NodeResult<T>>,
  progress: Progress,
): Promise<void> {
  const errors = new NodeErrors(env);
  const entries = new Map<string, object>();
  for await (const result of results) {
    const { node } = result;
    try {
      if (result.fault !== undefined) throw result.fault;
      const missing = failures?.(result.value) ?? [];
      const errorsOfParts = missing.length === 0 ? {} : { errors: missing.map(documentError) };
      entries.set(node, { node, ...document(result.value), ...errorsOfParts });
      for (const fault of missing) errors.add(node, fault);
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

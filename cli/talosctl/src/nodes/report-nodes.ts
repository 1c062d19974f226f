import type { NodeClient, NodeResult } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { type Fault, faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { escapeLine } from '../output/escape-text.ts';
import { documentError, writeDocument } from '../render/document.ts';
import type { DocumentFormat } from '../render/output-format.ts';
import { Table } from '../render/table.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';

/** The time after the last response until its rows are printed. Source: Talos v1.14: flush of tables. */
const flushAfterMs = 500;

/** Describes the call of a command to each node, and how its responses are printed. */
export interface NodeReport<T> {
  readonly call: (node: NodeClient, signal: AbortSignal) => Promise<T>;
  readonly header: readonly string[];
  readonly headerWithoutRows: boolean;
  /** Whether to print rows when none has arrived for half a second, rather than at the end only. */
  readonly flushWhenIdle: boolean;
  /** The rows of one node. A thrown Fault is reported as an error of the node. */
  readonly rows: (node: string, value: T) => readonly (readonly string[])[];
  /** The response as fields of a document, in addition to `node`. May throw like `rows`. */
  readonly document: (value: T) => object;
  /** Failures that a partial response contains. */
  readonly failures?: (value: T) => readonly Fault[];
  /** A remark about a response, which is printed after the node's name below the table. */
  readonly remark?: (value: T) => string | undefined;
  /** What the line of progress says about a node that has not answered. Default: that it is waited for. */
  readonly progress?: (node: string) => string;
}

/**
 * Calls every target of the command line and prints one table or one document. The error of a failed node is printed
 * after the table, and makes the command fail.
 */
export async function reportNodes<T>(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions,
  report: NodeReport<T>,
): Promise<void> {
  using client = await openClient(env, options);
  const names = client.targets.map(({ name }) => name);
  const missing = new Set(names);
  using progress = new Progress(env.stderr, () =>
    report.progress === undefined
      ? `waiting for ${[...missing].join(', ')}`
      : [...missing].map(report.progress).join(', '),
  );
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

/** Prints the table. Rows that are printed together are in the order of the nodes on the command line. */
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

/** Prints a list with one entry per node, in the order of the nodes on the command line. */
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

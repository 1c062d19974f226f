import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { escapeLine } from '../output/escape-text.ts';
import { documentError, openItems } from '../render/document.ts';
import { printableCell } from '../render/printable.ts';
import { Table } from '../render/table.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';

/** A file in the response of a node, or the error of that file. */
interface FileEntry {
  readonly name: string;
  readonly relativeName: string;
  readonly error: string;
}

/** Describes how a command queries files and prints them. */
export interface FileReport<Entry extends FileEntry> {
  readonly call: (node: NodeClient, signal: AbortSignal) => AsyncIterable<Entry>;
  /** The header of a table; `undefined` to print one line per file as it arrives. */
  readonly header: (nodes: number) => readonly string[] | undefined;
  readonly row: (node: string, entry: Entry, nodes: number) => readonly string[];
  /** Fields of an entry in a document, in addition to `node`. */
  readonly document: (entry: Entry) => object;
}

/**
 * Queries files on every target. A table is printed at the end, with its rows in the order of the nodes. Lines and
 * documents are printed as they arrive. The error of a file is reported as an error of its node.
 */
export async function reportFiles<Entry extends FileEntry>(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions,
  report: FileReport<Entry>,
): Promise<void> {
  using client = await openClient(env, options);
  const errors = new NodeErrors(env);
  const names = client.targets.map(({ name }) => name);
  const header = report.header(names.length);
  const document = options.output === 'table' ? undefined : openItems(env.stdout, options.output, false);
  const rows = new Map<string, (readonly string[])[]>(names.map((name) => [name, []]));

  const missing = new Set(names);
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const call = async function* (node: NodeClient, signal: AbortSignal) {
    yield* report.call(node, signal);
    missing.delete(node.name);
  };

  for await (const { node, value, fault } of client.fanOutStream(call, { signal: env.signal })) {
    if (document !== undefined || header === undefined) progress.pause();
    if (fault !== undefined) {
      missing.delete(node);
      errors.add(node, fault);
      await document?.add({ node, error: documentError(fault) });
    } else if (value.error !== '') {
      const { name, relativeName, error } = value;
      const why = new Fault('unknown', error);
      errors.add(node, why);
      await document?.add({ node, name, relativeName, error: documentError(why) });
    } else if (document !== undefined) {
      await document.add({ node, ...report.document(value) });
    } else {
      const row = report.row(node, value, names.length);
      if (header !== undefined) rows.get(node)?.push(row);
      else
        await writeSlowly(
          env.stdout,
          `${row.map(env.stdout.isTTY ? escapeLine : printableCell).join('   ')}\n`,
        );
    }
  }
  progress[Symbol.dispose]();
  document?.end();
  if (document === undefined && header !== undefined) {
    const table = new Table(env.stdout, { header, headerWithoutRows: false });
    for (const each of rows.values()) for (const row of each) table.add(row);
    table.end();
  }
  errors.end();
}

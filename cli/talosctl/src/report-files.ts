import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from './command-module.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';
import { escapeLine } from './output/escape-text.ts';
import { Progress } from './progress.ts';
import { documentError, openItems } from './render/document.ts';
import { printableCell } from './render/printable.ts';
import { Table } from './render/table.ts';
import { writeSlowly } from './write-slowly.ts';

/** What a node says of a file: facts, or why there are none. */
interface FileEntry {
  readonly name: string;
  readonly relativeName: string;
  readonly error: string;
}

/** How a command asks for files and shows them. */
export interface FileReport<Entry extends FileEntry> {
  readonly call: (node: NodeClient, signal: AbortSignal) => AsyncIterable<Entry>;
  /** Undefined: lines without a header, one a file, as they come. */
  readonly header: (nodes: number) => readonly string[] | undefined;
  readonly row: (node: string, entry: Entry, nodes: number) => readonly string[];
  /** Fields of an entry in a document, beside `node`. */
  readonly document: (entry: Entry) => object;
}

/**
 * Asks every target for files. A table is printed at the end, its rows in the order in which the nodes were named;
 * lines and documents as they come. A file that could not be looked at is an error of its node.
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

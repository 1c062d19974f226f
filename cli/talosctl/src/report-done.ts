import type { NodeClient } from '@nodewright/client';
import type { CliEnvironment } from './command-module.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { reportNodes } from './report-nodes.ts';

/**
 * Does on every target what has nothing to say when it succeeds, unless a document is asked for.
 *
 * @param call gives what the document says beside `done`
 */
export function reportDone(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions,
  call: (node: NodeClient, signal: AbortSignal) => Promise<object | undefined>,
): Promise<void> {
  return reportNodes(env, options, {
    call,
    header: [],
    headerWithoutRows: false,
    flushWhenIdle: false,
    rows: () => [],
    document: (facts) => ({ done: true, ...facts }),
  });
}

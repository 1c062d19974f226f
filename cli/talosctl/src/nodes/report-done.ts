import type { NodeClient } from '@nodewright/client';
import type { CliEnvironment } from '../context/command-module.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { reportNodes } from './report-nodes.ts';

/**
 * Makes a call without a result to every target. A success prints nothing unless the output is a document.
 *
 * @param call resolves to fields of the document in addition to `done`
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

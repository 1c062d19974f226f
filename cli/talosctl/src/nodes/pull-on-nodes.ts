import type { NodeClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { documentError, writeDocument } from '../render/document.ts';
import { printableCell } from '../render/printable.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';

/** Pulls an image on one node, and calls `report` with its progress in words. Resolves to the name of the image. */
export type PullOnNode = (
  node: NodeClient,
  report: (text: string) => void,
  signal: AbortSignal,
) => Promise<string>;

/** Pulls an image on every target, with a line of progress, and prints the name of the image for each. */
export async function pullOnNodes(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions,
  pull: PullOnNode,
): Promise<void> {
  using client = await openClient(env, options);
  const names = client.targets.map(({ name }) => name);
  const progresses = new Map(names.map((name) => [name, 'waiting']));
  const errors = new NodeErrors(env);
  const entries = new Map<string, object>();
  using progress = new Progress(env.stderr, () =>
    [...progresses].map(([name, text]) => `${nodeNameInLine(name)}: ${text}`).join(', '),
  );
  const pulls = client.fanOut(
    (node, signal) => pull(node, (text) => progresses.set(node.name, text), signal),
    { signal: env.signal },
  );
  for await (const { node, value, fault } of pulls) {
    progresses.delete(node);
    if (fault !== undefined) {
      errors.add(node, fault);
      entries.set(node, { node, error: documentError(fault) });
      continue;
    }
    entries.set(node, { node, image: value });
    progress.pause();
    if (options.output === 'table')
      env.stderr.write(`${nodeNameInLine(node)}: pulled image ${printableCell(value)}\n`);
  }
  progress[Symbol.dispose]();
  if (options.output !== 'table') {
    const list = names.flatMap((name) => entries.get(name) ?? []);
    await writeDocument(env.stdout, options.output, list);
  }
  errors.end();
}

import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions } from './node-options.ts';
import { openClient } from './open-client.ts';

/** Calls every target and prints the text of each response as it arrives. Errors of nodes are printed last. */
export async function reportNodeTexts<T>(
  env: CliEnvironment,
  options: NodeOptions,
  call: (node: NodeClient, signal: AbortSignal) => Promise<T>,
  text: (node: string, value: T) => string,
): Promise<void> {
  using client = await openClient(env, options);
  const missing = new Set(client.targets.map(({ name }) => name));
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const errors = new NodeErrors(env);
  for await (const result of client.fanOut(call, { signal: env.signal })) {
    missing.delete(result.node);
    progress.pause();
    try {
      if (result.fault !== undefined) throw result.fault;
      env.stdout.write(text(result.node, result.value));
    } catch (error) {
      errors.add(result.node, faultFrom(error));
    }
  }
  errors.end();
}

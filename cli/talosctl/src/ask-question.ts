import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CliEnvironment } from './command-module.ts';
import { UsageFault } from './failure.ts';

/** What a verb that destroys something is about to do. */
export interface Effect {
  /** The verb as the user typed it: `etcd leave`. */
  readonly verb: string;
  /** The nodes that it is for. */
  readonly nodes: readonly string[];
  /** What will have changed afterwards, a line each, without a full stop. */
  readonly lines: readonly string[];
}

/**
 * Says what is about to be done, and asks whether it is meant. It does not ask with `--yes`, nor for one node where
 * nobody sits: scripts that were written for upstream's talosctl, which never asks, work as they are.
 *
 * @throws UsageFault for several nodes where nobody can be asked
 * @returns whether to go on
 */
export async function isMeant(
  env: Pick<CliEnvironment, 'stdin' | 'stderr' | 'isInteractive' | 'signal'>,
  { verb, nodes, lines }: Effect,
  yes: boolean,
): Promise<boolean> {
  if (yes || (!env.isInteractive && nodes.length === 1)) return true;
  if (!env.isInteractive) {
    throw new UsageFault(
      `${verb} is for ${nodes.length} nodes (${nodes.join(', ')}), and nobody can be asked: add flag --yes`,
    );
  }
  for (const line of lines) env.stderr.write(`${line}\n`);
  env.stderr.write('Continue? (y/N): ');
  const answer = await nextLine(env);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  env.stderr.write('nothing was done\n');
  return false;
}

/** The next line of the input; empty at its end, and when the user has had enough. */
async function nextLine({ stdin, signal }: Pick<CliEnvironment, 'stdin' | 'signal'>): Promise<string> {
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    const line = once(lines, 'line', { signal }).then(([text]) => String(text));
    const end = once(lines, 'close', { signal }).then(() => '');
    return await Promise.race([line, end]).catch(() => '');
  } finally {
    lines.close();
  }
}

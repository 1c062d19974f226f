import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CliEnvironment } from './command-module.ts';
import { UsageFault } from './failure.ts';
import { escapeLine } from './output/escape-text.ts';

/** What a verb that destroys something is about to do. */
export interface Effect {
  /** The verb as the user typed it: `etcd leave`. */
  readonly verb: string;
  /** The nodes that it is for. */
  readonly nodes: readonly string[];
  /** What will have changed afterwards, a line each, without a full stop. */
  readonly lines: readonly string[];
  /** Why the verb wants `--yes` without a terminal even for one node: `node01 is an etcd voter`. */
  readonly risk?: string | undefined;
  /** What the user has to type to go on; `y` without it. */
  readonly typed?: TypedConfirmation | undefined;
}

/** A text that shows that the user knows what is about to be destroyed. */
export interface TypedConfirmation {
  readonly text: string;
  /** What the text is: `the name of the node`. */
  readonly meaning: string;
}

/** What the user types before several nodes, or one, are destroyed. */
export function typedConfirmation(nodes: readonly string[], cluster: string): TypedConfirmation {
  const [node = ''] = nodes;
  if (nodes.length === 1) return { text: node, meaning: 'the name of the node' };
  return {
    text: `${nodes.length} ${cluster}`,
    meaning: 'the number of nodes and the name of their cluster',
  };
}

/**
 * Says what is about to be done, and asks whether it is meant. It does not ask with `--yes`, nor without a terminal for
 * one node where nothing is at risk: scripts that were written for upstream's talosctl, which never asks, mostly work.
 *
 * @throws UsageFault without a terminal, for several nodes or where something is at risk
 * @returns whether to go on
 */
export async function isMeant(
  env: Pick<CliEnvironment, 'stdin' | 'stderr' | 'isInteractive' | 'signal'>,
  { verb, nodes, lines, risk, typed }: Effect,
  yes: boolean,
): Promise<boolean> {
  if (yes) return true;
  if (!env.isInteractive) {
    if (nodes.length > 1) {
      throw new UsageFault(
        `${verb} is for ${nodes.length} nodes (${nodes.join(', ')}), and nobody can be asked: add flag --yes`,
      );
    }
    if (risk !== undefined) throw new UsageFault(`${verb}: ${risk}, and nobody can be asked: add flag --yes`);
    return true;
  }
  for (const line of lines) env.stderr.write(`${escapeLine(line)}\n`);
  const question =
    typed === undefined
      ? 'Continue? (y/N)'
      : `Type ${JSON.stringify(typed.text)}, ${typed.meaning}, to go on`;
  env.stderr.write(`${question}: `);
  const answer = (await nextLine(env)).trim();
  if (typed === undefined ? /^y(es)?$/i.test(answer) : answer === typed.text) return true;
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

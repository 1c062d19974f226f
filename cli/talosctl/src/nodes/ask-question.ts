import type { CliEnvironment } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { escapeLine } from '../output/escape-text.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openQuestions, type QuestionEnvironment } from './open-questions.ts';
import { clusterName } from './talosconfig-of.ts';

/** The question before an action that `y` confirms, where the cluster is on the screen. */
export const continueQuestion = 'Continue? (y/N)';

/** The question before an action that `y` confirms, with the name of the cluster: another terminal may have chosen another context. */
export async function continueQuestionFor(
  env: Pick<CliEnvironment, 'environment' | 'cwd'>,
  options: NodeOptions,
): Promise<string> {
  // Nodes in maintenance have no cluster yet.
  const name = options.insecure ? undefined : await clusterName(env, options).catch(() => undefined);
  return name === undefined || name === ''
    ? continueQuestion
    : `Continue in cluster ${JSON.stringify(name)}? (y/N)`;
}

/** What a disruptive command is about to do. */
export interface Effect {
  /** The command as the user typed it, such as `etcd leave`. */
  readonly verb: string;
  /** The nodes that the command acts on. */
  readonly nodes: readonly string[];
  /** Descriptions of the changes, one per line, without a full stop. */
  readonly lines: readonly string[];
  /** Why the command needs `--yes` without a terminal even for one node, such as the loss of an etcd voter. */
  readonly risk?: string | undefined;
  /** The text that the user must type to confirm; `y` by default. */
  readonly typed?: TypedConfirmation | undefined;
}

/** A text that the user must type, to make sure that the nodes are the intended ones. */
export interface TypedConfirmation {
  readonly text: string;
  /** The meaning of the text, such as `the name of the node`. */
  readonly meaning: string;
}

/** The text to type before a command that wipes nodes. */
export function typedConfirmation(nodes: readonly string[], cluster: string): TypedConfirmation {
  const [node = ''] = nodes;
  if (nodes.length === 1) {
    const where = cluster === '' ? '' : ` in cluster ${JSON.stringify(cluster)}`;
    return { text: node, meaning: `the name of the node${where}` };
  }
  return {
    text: `${nodes.length} ${cluster}`,
    meaning: 'the number of nodes and the name of their cluster',
  };
}

export interface ConfirmOptions extends NodeOptions, OutputOptions {
  /** The user has confirmed in advance. */
  readonly yes?: boolean | undefined;
}

/**
 * Prints the effect of a command and asks for confirmation. It does not ask with `--yes`, or without a terminal for one
 * node and no risk. So most scripts for upstream's talosctl, which never asks, still work. It resolves when the command may go on.
 *
 * @throws UsageFault without a terminal, for several nodes or with a risk; InterruptedFailure and ReportedFailure like `Questions`
 */
export async function confirmEffect(
  env: QuestionEnvironment & Pick<CliEnvironment, 'environment' | 'cwd'>,
  { verb, nodes, lines, risk, typed }: Effect,
  options: ConfirmOptions,
): Promise<void> {
  const { yes = false, output } = options;
  if (yes) return;
  if (!env.isInteractive) {
    if (nodes.length > 1) {
      throw new UsageFault(
        `${verb} acts on ${nodes.length} nodes (${nodes.join(', ')}), and there is no terminal to confirm it on: add flag --yes`,
      );
    }
    if (risk !== undefined) {
      throw new UsageFault(`${verb}: ${risk}; there is no terminal to confirm it on: add flag --yes`);
    }
    return;
  }
  for (const line of lines) env.stderr.write(`${escapeLine(line)}\n`);
  using questions = openQuestions(env, {
    output,
    document: (error) => nodes.map((node) => ({ node, error })),
  });
  const isConfirmed =
    typed === undefined
      ? await questions.isConfirmed(`${await continueQuestionFor(env, options)}: `)
      : (
          await questions.ask(`Type ${JSON.stringify(typed.text)}, ${typed.meaning}, to continue: `)
        ).trim() === typed.text;
  if (!isConfirmed) await questions.refuse();
}

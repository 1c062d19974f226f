import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { clearedDisks } from '../../action/cleared-disks.ts';
import { readEffect } from '../../action/read-effect.ts';
import { continueQuestion, typedConfirmation } from '../../nodes/ask-question.ts';
import { plainError } from '../../render/plain-error.ts';
import type { EffectAnswer, PageAction } from '../protocol/calls.ts';
import { etcdEffect } from './etcd-actions.ts';

export interface EffectInit {
  readonly client: TalosClient;
  readonly nodes: readonly NodeClient[];
  readonly callerRoles: readonly string[] | undefined;
  /** The name of the cluster, which a user types before a reset of several nodes. */
  readonly cluster: string;
  readonly signal: AbortSignal;
}

/** What the user must type before an action that wipes nodes, as on the command line. */
export function typedBefore(
  action: PageAction,
  nodes: readonly string[],
  cluster: string,
): { readonly text: string; readonly meaning: string } | undefined {
  return action.kind === 'reset' ? typedConfirmation(nodes, cluster) : undefined;
}

/** Commands that work on one node. */
export function requireOneNode(action: PageAction, nodes: readonly unknown[]): void {
  if (action.kind !== 'etcd' || nodes.length === 1) return;
  throw new Fault('invalid-argument', 'actions of etcd work on one node: choose one');
}

/** The effect of an action and its question, in the words of the command line. It asks the nodes and changes nothing. */
export async function readActionAnswer(action: PageAction, init: EffectInit): Promise<EffectAnswer> {
  const { nodes, client, callerRoles, cluster, signal } = init;
  if (action.kind === 'etcd') {
    const [node] = nodes;
    if (node === undefined) throw new Fault('invalid-argument', 'no node is named');
    const { line } = await etcdEffect(node, action, signal);
    return { lines: [plainError(line)], stops: [], question: continueQuestion };
  }
  const isWhole = action.kind === 'reset' && action.wiped === 'everything';
  const [{ lines, stops, effect }, disks] = await Promise.all([
    readEffect(action, { client, nodes, callerRoles, signal }),
    isWhole ? clearedDisks({ targets: nodes }, signal) : [],
  ]);
  const typed = typedBefore(
    action,
    nodes.map(({ name }) => name),
    cluster,
  );
  return {
    lines: [...lines, ...disks.map((line) => `  ${line}`)],
    stops,
    effect: { nodes: effect.nodes, quorum: effect.quorum },
    question:
      typed === undefined
        ? continueQuestion
        : `Type ${JSON.stringify(typed.text)}, ${typed.meaning}, to continue`,
    typed: typed?.text,
  };
}

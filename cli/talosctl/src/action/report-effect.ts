import type { ActionEffect } from '@nodewright/client/what-if';
import type { CliEnvironment } from '../context/command-module.ts';
import type { OutputOptions } from '../nodes/node-options.ts';
import { escapeLine } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import type { ReadEffect } from './read-effect.ts';

/** Prints what an action would do, for `--dry-run`. */
export async function reportEffect(
  { stdout }: Pick<CliEnvironment, 'stdout'>,
  { output }: OutputOptions,
  read: ReadEffect,
): Promise<void> {
  if (output !== 'table') return writeDocument(stdout, output, effectDocument(read));
  const lines = [...read.lines, ...read.stops.map((line) => `  ${line}`), 'nothing was done'];
  for (const line of lines) stdout.write(`${escapeLine(line)}\n`);
}

/** The effect as a document. Values that are unknown are null. */
export function effectDocument({ effect, lines }: Pick<ReadEffect, 'effect' | 'lines'>): object {
  const { action, nodes, quorum, losesVote } = effect;
  return {
    action: action.kind,
    nodes: nodes.map(({ stops, ...node }) => ({ ...node, stops: stops ?? null })),
    etcd: quorumDocument(quorum),
    losesVote,
    isRefused: nodes.some(({ refusals }) => refusals.length > 0),
    text: lines.map((line) => line.trim()),
  };
}

function quorumDocument(quorum: ActionEffect['quorum']): object | null {
  return quorum === undefined ? null : { ...quorum };
}

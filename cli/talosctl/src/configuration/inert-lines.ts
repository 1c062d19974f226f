import type { Configuration, NodeKind } from '@nodewright/machine-config';
import { escapeEntry } from '../output/escape-text.ts';

/** The subjects of the lines, for the kinds of nodes that a file can be for. */
const subjects = { machine: 'machines', container: 'nodes in a container' } as const;

/** A kind of node that a file can be checked for: a file does not say of which kind its node is. */
export type CheckedNode = keyof typeof subjects & NodeKind;

/**
 * What of a configuration nodes do not act on, and what machines refuse although it is valid, as lines for a terminal. They
 * are no part of a verdict, which is the same as upstream's.
 */
export async function inertLines(configuration: Configuration, node: CheckedNode): Promise<string[]> {
  const [{ unkeptProtections }, { inertNotes, inertTable }] = await Promise.all([
    import('@nodewright/machine-config'),
    import('@nodewright/machine-config/inert'),
  ]);
  const name = subjects[node];
  const notes = inertNotes(configuration, { node, subject: `${name} do not act on`, table: inertTable });
  const unkept = node === 'machine' ? unkeptProtections(configuration) : [];
  const refused = unkept.length === 0 ? [] : [refusal(unkept)];
  return [...notes, ...refused].map(escapeEntry);
}

/** More names do not help to find the first. */
const maxNames = 20;

function refusal(unkept: readonly string[]): string {
  const more = unkept.length > maxNames ? ` and ${unkept.length - maxNames} more` : '';
  return `machines refuse this configuration, because nothing provides the protection of ${unkept.slice(0, maxNames).join(', ')}${more}`;
}

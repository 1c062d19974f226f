import type { ConfigNode, ScalarNode } from './config-node.ts';

/**
 * A date, or a date and time. Source: YAML 1.1: timestamp, in the forms that the YAML library of Talos
 * accepts.
 */
const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))|(?: \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?))?$/;

/** Whether a YAML reader decodes the unquoted scalar as a timestamp. */
export function isTimestamp(node: ScalarNode): boolean {
  const [, year, month, day] = (node.plain && timestamp.exec(node.text)) || [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** Yields all timestamps among the values of a node. */
export function* timestampsIn(node: ConfigNode): Generator<ScalarNode> {
  if (node.kind === 'scalar') {
    if (isTimestamp(node)) yield node;
    return;
  }
  for (const child of node.kind === 'list' ? node.items : node.entries.values()) yield* timestampsIn(child);
}

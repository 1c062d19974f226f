import type { ConfigNode, ScalarNode } from './config-node.ts';

/** A day, or a day and a time of day. Source: YAML 1.1: timestamp, in the forms that the reader of peers takes. */
const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))|(?: \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?))?$/;

/** Whether a reader of YAML takes the unquoted scalar for a point in time. */
export function isTimestamp(node: ScalarNode): boolean {
  const [, year, month, day] = (node.plain && timestamp.exec(node.text)) || [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** The timestamps among the values of a part. */
export function* timestampsIn(node: ConfigNode): Generator<ScalarNode> {
  if (node.kind === 'scalar') {
    if (isTimestamp(node)) yield node;
    return;
  }
  for (const child of node.kind === 'list' ? node.items : node.entries.values()) yield* timestampsIn(child);
}

/** The facts about an open connection that the limits need. */
export interface OpenConnection {
  /** The client's address block. Connections of one block share a limit. */
  readonly group: string;
  /** Whether one of its calls has sent the right token; otherwise the connection is anonymous. */
  readonly isTrusted: boolean;
}

export interface ConnectionLimits {
  readonly connections: number;
  readonly anonymous: number;
  readonly anonymousPerGroup: number;
}

/**
 * Selects the connection to close after the last one of the list was opened; `undefined` when all may stay
 * open. It is an anonymous one if there is any, so that nodes with the right token are not affected by other
 * clients.
 *
 * @param open in order of arrival, the oldest first
 */
export function connectionToEnd<C extends OpenConnection>(
  open: readonly C[],
  limits: ConnectionLimits,
): C | undefined {
  const newest = open.at(-1);
  const anonymous = open.filter(({ isTrusted }) => !isTrusted);
  const ofGroup = anonymous.filter(({ group }) => group === newest?.group);
  if (ofGroup.length > limits.anonymousPerGroup) return ofGroup[0];
  if (anonymous.length <= limits.anonymous && open.length <= limits.connections) return undefined;
  const busiest = busiestGroup(anonymous);
  return anonymous.find(({ group }) => group === busiest) ?? newest;
}

function busiestGroup(open: readonly OpenConnection[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { group } of open) counts.set(group, (counts.get(group) ?? 0) + 1);
  let busiest: string | undefined;
  for (const [group, count] of counts) if (count > (counts.get(busiest ?? '') ?? 0)) busiest = group;
  return busiest;
}

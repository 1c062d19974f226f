/** An open connection as the limits see it. */
export interface OpenConnection {
  /** Of its address: who shares a limit with it. */
  readonly group: string;
  /** One of its calls has shown the token. */
  readonly isTrusted: boolean;
}

export interface ConnectionLimits {
  readonly connections: number;
  readonly strangers: number;
  readonly strangersPerGroup: number;
}

/**
 * The connection that must end now that the last one of the list has come; undefined while all may stay. It is a
 * stranger's if there is one: nodes that have shown the token never pay for strangers.
 *
 * @param open in the order in which they came, so that the first found is the oldest
 */
export function connectionToEnd<C extends OpenConnection>(
  open: readonly C[],
  limits: ConnectionLimits,
): C | undefined {
  const newest = open.at(-1);
  const strangers = open.filter(({ isTrusted }) => !isTrusted);
  const ofGroup = strangers.filter(({ group }) => group === newest?.group);
  if (ofGroup.length > limits.strangersPerGroup) return ofGroup[0];
  if (strangers.length <= limits.strangers && open.length <= limits.connections) return undefined;
  const busiest = busiestGroup(strangers);
  return strangers.find(({ group }) => group === busiest) ?? newest;
}

function busiestGroup(open: readonly OpenConnection[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { group } of open) counts.set(group, (counts.get(group) ?? 0) + 1);
  let busiest: string | undefined;
  for (const [group, count] of counts) if (count > (counts.get(busiest ?? '') ?? 0)) busiest = group;
  return busiest;
}

/** `4 nodes answer`, `1 node answers`; `2 of 4 nodes answer` where not all of them do. The verb is that of many nodes. */
export function nodesText(verb: string, count: number, total = count): string {
  const subject = total === 1 ? 'node' : 'nodes';
  return `${count === total ? '' : `${count} of `}${total} ${subject} ${verb}${total === 1 ? 's' : ''}`;
}

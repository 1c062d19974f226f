/**
 * Returns text such as `4 nodes answer`, `1 node answers` or `2 of 4 nodes answer`. Pass the verb in its
 * plural form.
 */
export function nodesText(verb: string, count: number, total = count): string {
  const subject = total === 1 ? 'node' : 'nodes';
  return `${count === total ? '' : `${count} of `}${total} ${subject} ${verb}${total === 1 ? 's' : ''}`;
}

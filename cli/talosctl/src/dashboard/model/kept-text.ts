/**
 * The beginning of a text of a node, in memory of its own: a part of a string of V8 keeps the whole string.
 *
 * @param most characters (UTF-16 units) that are kept
 */
export function keptText(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
}

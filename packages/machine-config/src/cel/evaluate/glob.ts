/**
 * Whether a pattern matches a whole text: `*` stands for any text, also an empty one, and every other character for itself. Takes time
 * in proportion to the product of both lengths at most.
 *
 * Source: Talos v1.14: machine configuration, CEL environments.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

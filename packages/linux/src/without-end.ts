/**
 * The text without all characters of `ends` at its end. An expression such as `/\0+$/` does the same, and takes the square of
 * the length for a text that has many of them before its end.
 */
export function withoutEnd(text: string, ends: string): string {
  let end = text.length;
  while (end > 0 && ends.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A path in a message of one line: in quotes when it has line breaks, or other characters that nobody sees. */
export function shownPath(path: string): string {
  return /\p{C}/u.test(path) ? JSON.stringify(path) : path;
}

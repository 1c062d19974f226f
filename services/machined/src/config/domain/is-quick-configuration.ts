/** What can be read in some tens of milliseconds, also on a slow machine: a configuration of an ordinary node. */
const quick = { characters: 64 * 1024, marks: 2000 } as const;

/**
 * Whether a text is read so fast that no other call notices. It looks only at how long the text is, how many of the
 * characters it has that stand around values, and whether aliases may repeat parts of it.
 */
export function isQuickConfiguration(text: string): boolean {
  if (text.length > quick.characters) return false;
  if (text.includes('*') && text.includes('&')) return false;
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (isMark(text.charCodeAt(at))) marks += 1;
    if (marks > quick.marks) return false;
  }
  return true;
}

/** Line end, `,`, `:`, `[` and `{`. */
function isMark(code: number): boolean {
  return code === 10 || code === 44 || code === 58 || code === 91 || code === 123;
}

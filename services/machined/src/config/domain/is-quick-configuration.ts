/**
 * The limits below which a text decodes within some tens of milliseconds, even on a slow machine. The
 * configuration of an ordinary node is below them.
 */
const quick = { characters: 64 * 1024, marks: 2000 } as const;

/**
 * Whether a text decodes so fast that other calls are not delayed. Considers only its length, its number of
 * YAML separators, and whether aliases may repeat parts of it.
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

/** Whether the character is a line feed, `,`, `:`, `[` or `{`. */
function isMark(code: number): boolean {
  return code === 10 || code === 44 || code === 58 || code === 91 || code === 123;
}

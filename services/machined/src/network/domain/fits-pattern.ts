/**
 * Whether a text fits a pattern, in which `*` stands for any text and `?` for one character, without regard to case. It takes at most the
 * product of both lengths, where a regular expression with many `*` takes far longer: in maintenance anybody may send a pattern.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const [wanted, given] = [pattern.toLowerCase(), text.toLowerCase()];
  let at = 0;
  let from = 0;
  // The last `*` is tried with one character more whenever the rest does not fit; those before it need no other try.
  let star = -1;
  let covered = 0;
  while (from < given.length) {
    if (wanted[at] === '*') {
      star = at;
      covered = from;
      at += 1;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      at = star + 1;
      covered += 1;
      from = covered;
    } else return false;
  }
  while (wanted[at] === '*') at += 1;
  return at === wanted.length;
}

/** The commits that a program reports if it was not built from a commit; they cannot be compared. */
const noCommit: readonly string[] = ['', 'source', 'unknown'];

/**
 * Returns a note for the user if the programs in the images were built from another commit than this program.
 * Returns `undefined` if the commits are equal or unknown.
 *
 * @param tag the tag of the images
 * @param commits the commits that the nodes report
 * @param own the commit from which this program was built
 */
export function otherBuildNote(tag: string, commits: readonly string[], own: string): string | undefined {
  if (noCommit.includes(own)) return undefined;
  const others = new Set(commits.filter((commit) => commit !== own && !noCommit.includes(commit)));
  if (others.size === 0) return undefined;
  const built = [...others].sort().join(' and ');
  return `images nodewright/*:${tag} were built from ${built}, this talosctl is ${own}: run make images`;
}

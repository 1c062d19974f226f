/** What programs say that were not bundled from a commit: it cannot be compared with anything. */
const noCommit: readonly string[] = ['', 'source', 'unknown'];

/**
 * What to tell a user whose images hold other programs than this one. Undefined when they are the same, or nobody can
 * tell.
 *
 * @param tag of the images
 * @param commits that the nodes say they were built from
 * @param own commit that this program was built from
 */
export function otherBuildNote(tag: string, commits: readonly string[], own: string): string | undefined {
  if (noCommit.includes(own)) return undefined;
  const others = new Set(commits.filter((commit) => commit !== own && !noCommit.includes(commit)));
  if (others.size === 0) return undefined;
  const built = [...others].sort().join(' and ');
  return `images nodewright/*:${tag} were built from ${built}, this talosctl is ${own}: run make images`;
}

import type { NodeClient } from '@nodewright/client';

/** More than that nobody looks through. */
const maxCandidates = 1000;

/**
 * Paths on a node that begin with what is typed. A folder ends with a slash; when it is the only candidate, what is in
 * it comes along, so that a shell does not take it for the whole word.
 */
export async function nodePaths(node: NodeClient, typed: string, signal: AbortSignal): Promise<string[]> {
  const found = await pathsIn(node, typed.slice(0, typed.lastIndexOf('/') + 1) || '/', typed, signal);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || !only.endsWith('/')) return found;
  return [only, ...(await pathsIn(node, only, only, signal))];
}

async function pathsIn(
  node: NodeClient,
  folder: string,
  typed: string,
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = [];
  for await (const { relativeName, isDir, error } of node.machine.list({ root: folder }, { signal })) {
    if (relativeName === '.' || error !== '') continue;
    const path = `${folder}${relativeName}${isDir ? '/' : ''}`;
    // A candidate is a line.
    if (path.startsWith(typed) && !path.includes('\n')) found.push(path);
    if (found.length === maxCandidates) break;
  }
  return found;
}

import type { NodeClient } from '@nodewright/client';

/** The maximum number of candidates. */
const maxCandidates = 1000;

/**
 * Paths on a node that begin with the typed text. A folder ends with a slash. If it is the only candidate, its entries
 * are returned too, so that the shell does not take the folder for the complete word.
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
    // Candidates are printed one per line, so none may contain a newline.
    if (path.startsWith(typed) && !path.includes('\n')) found.push(path);
    if (found.length === maxCandidates) break;
  }
  return found;
}

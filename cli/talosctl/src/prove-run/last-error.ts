import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The end of a log that is searched, and the length of a line that is shown, in bytes. */
const maxTailBytes = 64 * 1024;
const maxLineLength = 400;

/** The line with which a Kubernetes program says why it ends, or else its last error in the format of klog. */
export function errorIn(log: string): string | undefined {
  const lines = log.split('\n').map((line) => line.trim());
  const found =
    lines.findLast((line) => /^(?:Error|error): /.test(line)) ??
    lines.findLast((line) => /^[EF]\d{4} \d/.test(line));
  return found?.slice(0, maxLineLength);
}

/** The last error of an API server of a cluster of processes; `undefined` when no log has one. @param folder that of the cluster */
export async function lastError(folder: string): Promise<string | undefined> {
  const nodes = join(folder, 'nodes');
  for (const node of await readdir(nodes).catch(() => [])) {
    const found = errorIn(await tailOf(join(nodes, node, 'var', 'log', 'kube-apiserver.log')));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The end of a file; empty when it cannot be read. */
async function tailOf(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, maxTailBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    // A cluster that never came so far has no such log.
    return '';
  }
}

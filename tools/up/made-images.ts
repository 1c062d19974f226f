// The image tags that `make up` built. `make down` removes these and leaves images that were there before.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { runDocker, tryDocker } from '@nodewright/provision/engine';

/** Image ids by tag. */
export type Tags = Readonly<Record<string, string>>;

/** Repositories that tools/images.ts makes or pulls. */
const ourRepositories = /^(nodewright\/|jaegertracing\/jaeger:|node:|(amd64|arm64v8)\/node:)/;

/** The tags in the engine that this project might have made. Throws a Fault when the engine does not answer. */
export async function listTags(): Promise<Tags> {
  const format = '{{.Repository}}:{{.Tag}} {{.ID}}';
  const stdout = await runDocker(['image', 'ls', '--no-trunc', '--format', format]);
  const rows = stdout
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([tag = '', id]) => id !== undefined && ourRepositories.test(tag) && !tag.endsWith(':<none>'));
  return Object.fromEntries(rows);
}

/** What is known to be made after images were made: what is new, and what was known and has changed since. */
export function tagsMade(known: Tags, before: Tags, after: Tags): Tags {
  return Object.fromEntries(
    Object.entries(after).filter(([tag]) => before[tag] === undefined || known[tag] === before[tag]),
  );
}

export function readMade(path: string): Tags {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Tags;
  } catch {
    return {};
  }
}

export function writeMade(path: string, tags: Tags): void {
  if (Object.keys(tags).length === 0) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(tags, undefined, 2)}\n`);
}

/**
 * Removes the tags in the record that still are what was made and that no container uses. What is used stays, and stays
 * in the record. Yields what was removed and what is used.
 */
export async function removeMade(path: string): Promise<{ removed: string[]; used: string[] }> {
  const made = readMade(path);
  // Without a record no engine is asked: there may be none.
  if (Object.keys(made).length === 0) return { removed: [], used: [] };
  const now = await listTags();
  const kept: Record<string, string> = {};
  const removed: string[] = [];
  for (const [tag, id] of Object.entries(made)) {
    // Someone has made it anew since: it is theirs.
    if (now[tag] !== id) continue;
    const { stdout } = await tryDocker(['ps', '--all', '--quiet', '--filter', `ancestor=${tag}`]);
    const { code } = stdout.trim() === '' ? await tryDocker(['rmi', tag]) : { code: 1 };
    if (code === 0) removed.push(tag);
    else kept[tag] = id;
  }
  writeMade(path, kept);
  return { removed, used: Object.keys(kept) };
}

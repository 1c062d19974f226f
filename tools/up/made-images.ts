// Keeps a record of the image tags that `make up` built. `make down` removes these, and keeps images that
// existed before.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runDocker, tryDocker } from '@nodewright/provision/engine';

/** Image ids by tag. */
export type Tags = Readonly<Record<string, string>>;

/** Path of the record below the checkout. */
export const madeImagesFile = join('_out', 'images', 'made.json');

/** Repositories that tools/images.ts builds or pulls. */
const ourRepositories = /^(nodewright\/|jaegertracing\/jaeger:|node:|(amd64|arm64v8)\/node:)/;

/** The tags in the engine that this project may have made. Throws a Fault when the engine does not answer. */
export async function listTags(): Promise<Tags> {
  const format = '{{.Repository}}:{{.Tag}} {{.ID}}';
  const stdout = await runDocker(['image', 'ls', '--no-trunc', '--format', format]);
  const rows = stdout
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([tag = '', id]) => id !== undefined && ourRepositories.test(tag) && !tag.endsWith(':<none>'));
  return Object.fromEntries(rows);
}

/** The tags that this project made: those that are new after a build, and recorded ones. */
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

/** Runs `build`, and records the tags that did not exist before, also when it fails. @param path of the record */
export async function recordMade(path: string, build: () => Promise<void>): Promise<void> {
  const before = await listTags();
  try {
    await build();
  } finally {
    writeMade(path, tagsMade(readMade(path), before, await listTags()));
  }
}

/**
 * Removes the recorded tags that still name the recorded image and that no container uses. Tags in use stay,
 * also in the record. Returns the removed tags and the tags in use.
 */
export async function removeMade(path: string): Promise<{ removed: string[]; used: string[] }> {
  const made = readMade(path);
  // Without a record do not call the engine: there may be none.
  if (Object.keys(made).length === 0) return { removed: [], used: [] };
  const now = await listTags();
  const kept: Record<string, string> = {};
  const removed: string[] = [];
  for (const [tag, id] of Object.entries(made)) {
    // Someone has rebuilt this tag since, so it is no longer ours to remove.
    if (now[tag] !== id) continue;
    const { stdout } = await tryDocker(['ps', '--all', '--quiet', '--filter', `ancestor=${tag}`]);
    const { code } = stdout.trim() === '' ? await tryDocker(['rmi', tag]) : { code: 1 };
    if (code === 0) removed.push(tag);
    else kept[tag] = id;
  }
  writeMade(path, kept);
  return { removed, used: Object.keys(kept) };
}

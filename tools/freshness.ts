// `make freshness`: which locked packages are old and for how long, and which stay so with a reason. `-o json` prints the rows as JSON. It
// decides nothing: its exit code is 0 also when something is old, or when a registry does not answer.
import { join } from 'node:path';
import { freshnessRows, freshnessText, type KnownVersion } from './update/freshness-rows.ts';
import { heldVersions } from './update/held-versions.ts';
import { knownDebianVersions } from './update/known-debian.ts';
import { knownGoVersions, knownNpmVersions, reasonOf } from './update/registries.ts';

const checkout = join(import.meta.dirname, '..');
const note = (line: string) => void process.stderr.write(`freshness: ${line}\n`);

async function ask(what: string, known: () => Promise<KnownVersion[]>): Promise<KnownVersion[]> {
  try {
    return await known();
  } catch (error) {
    note(`nothing is known about ${what}: ${reasonOf(error)}`);
    return [];
  }
}

const registries = await Promise.all([
  ask('modules of Go', () => knownGoVersions(checkout, note)),
  ask('packages of npm', () => knownNpmVersions(checkout, note)),
]);
const debian = await ask('packages of Debian', async () => knownDebianVersions(checkout));
const rows = freshnessRows([...debian, ...registries.flat()], heldVersions, new Date());
const [, , option, format] = process.argv;
process.stdout.write(
  option === '-o' && format === 'json' ? `${JSON.stringify(rows, undefined, 2)}\n` : freshnessText(rows),
);

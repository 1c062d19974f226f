// `make update`: renews the locks of Debian, npm and Go in one go, except the versions that are held, and says which suites must pass then.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RegistryKind } from './update/freshness-rows.ts';
import { heldVersions } from './update/held-versions.ts';
import { renewManifest } from './update/npm-manifests.ts';
import {
  goForWrappers,
  goWrappers,
  knownGoVersions,
  newestNpmPackages,
  npmManifests,
  reasonOf,
} from './update/registries.ts';
import { suitesAfter } from './update/suites-after.ts';

const checkout = join(import.meta.dirname, '..');
const note = (line: string) => void process.stdout.write(`update: ${line}\n`);
const run = (command: string, args: readonly string[], folder = checkout, env = process.env) =>
  void execFileSync(command, args, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
const isHeld = (kind: RegistryKind, name: string) =>
  heldVersions.some((held) => held.kind === kind && held.name === name);

const renew: Readonly<Record<RegistryKind, () => Promise<void>>> = {
  async debian() {
    run(process.execPath, [join(checkout, 'rootfs/lock-packages.ts')]);
  },
  async npm() {
    const newest = new Map([...(await newestNpmPackages(checkout))].filter(([name]) => !isHeld('npm', name)));
    for (const [path, manifest] of npmManifests(checkout))
      writeFileSync(
        join(checkout, path),
        `${JSON.stringify(renewManifest(manifest, newest), undefined, 2)}\n`,
      );
    // The first takes the new pins into the lock, the second renews what these need in turn.
    for (const verb of ['install', 'update']) run('npm', [verb, '--package-lock-only', '--ignore-scripts']);
  },
  async go() {
    const { go, environment } = goForWrappers(checkout, note);
    const known = new Map(
      (await knownGoVersions(checkout, note)).map((one) => [`${one.name} ${one.version}`, one.newest]),
    );
    for (const [folder, { modules }] of goWrappers(checkout)) {
      for (const { module, version, tools } of modules) {
        const newest = known.get(`${module} ${version}`);
        if (newest === undefined || newest === version || isHeld('go', module)) continue;
        note(`${folder}: ${module} ${newest} instead of ${version}`);
        // A wrapper without tools has a program of its own, whose imports need sums of what the newer module requires.
        const own = existsSync(join(checkout, folder, 'main.go')) ? ['.'] : [];
        const args =
          tools.length > 0
            ? ['-tool', ...tools.map((tool) => `${tool}@${newest}`)]
            : [`${module}@${newest}`, ...own];
        run(go, ['get', ...args], join(checkout, folder), environment);
      }
    }
  },
};

const done: RegistryKind[] = [];
for (const kind of ['debian', 'npm', 'go'] as const) {
  try {
    await renew[kind]();
    done.push(kind);
  } catch (error) {
    note(`the locks of ${kind} are not renewed: ${reasonOf(error)}`);
    process.exitCode = 1;
  }
}
note(`read the changes with git diff, then these must pass: ${verbs(done)}`);
note('make freshness says what is still old, and why');

function verbs(kinds: readonly RegistryKind[]): string {
  // In the order of the longest list, those of machines last.
  const all = new Set(kinds.flatMap((kind) => suitesAfter[kind] as readonly string[]));
  const isOfMachine = (verb: string) => verb.startsWith('test-boot') || verb === 'test-powercut';
  return [...all]
    .toSorted((a, b) => Number(isOfMachine(a)) - Number(isOfMachine(b)))
    .map((verb) => `make ${verb}`)
    .join(', ');
}

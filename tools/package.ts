// `make package`: one archive that npx or tar and nothing else start, in `_out/package`. `node tools/package.ts [--level 9]`
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureEtcd } from '@nodewright/build/etcd';
import { buildPackage } from './package/build-package.ts';

const checkout = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { level: { type: 'string', default: '9' } } });

function git(...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', words, { cwd: checkout, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** The commit that the bundles show as theirs. */
function commitOfBundles(): string | undefined {
  const talosctl = join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs');
  const { stdout } = spawnSync(process.execPath, [talosctl, 'version', '--client'], { encoding: 'utf8' });
  return /^\s*SHA:\s+(\S+)$/m.exec(stdout)?.[1];
}

/** A commit that changes no source leaves the bundles as they are, with the commit before. */
function rebuild(): void {
  execFileSync(process.execPath, [join(checkout, 'tools', 'build.ts')], { stdio: ['ignore', 2, 2] });
  const now = new Date();
  utimesSync(join(checkout, '_out', 'dist', '.built'), now, now);
}

try {
  await ensureEtcd(checkout);
  const commit = git('rev-parse', '--short=9', 'HEAD') ?? 'unknown';
  if (commitOfBundles() !== commit) rebuild();
  const folder = join(checkout, '_out', 'package');
  // One archive, so that `npx ./_out/package/*.tgz` names it.
  rmSync(folder, { recursive: true, force: true });
  const { path, sizeBytes } = await buildPackage({
    ...{ checkout, folder, commit, level: Number(values.level) },
    isChanged: commit === 'unknown' || git('status', '--porcelain', '--untracked-files=no') !== '',
  });
  const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  const name = relative(checkout, path);
  process.stdout.write(
    `made ${name}: ${mebibytes(statSync(path).size)} MiB, unpacked ${mebibytes(sizeBytes)}; start it with: npx --yes ./${name} up\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

// `make test-user`: runs the tests that depend on the user as an ordinary user, or those of the patterns that are its arguments. Root runs
// them as the user nobody, from a copy of the checkout that nobody owns.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsEnvironment, readCounts, reportCounts } from './suites/suite-results.ts';

/** The user nobody and the group nogroup of Debian. */
const nobody = { uid: 65_534, gid: 65_534 } as const;

const checkout = join(import.meta.dirname, '..');
// Tests that need privileges are skipped there, and a skip must not count as a failure.
const { CI: _, ...environment } = process.env;
process.exitCode = process.getuid?.() === 0 ? await runAsNobody() : await runTests(checkout, {});

async function runAsNobody(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'test-user-'));
  try {
    chmodSync(folder, 0o755);
    const home = join(folder, 'home');
    mkdirSync(home);
    chownSync(home, nobody.uid, nobody.gid);
    // Nobody cannot write where the suite of root expects the counts.
    const counts = join(home, 'counts.json');
    const env = { ...environment, HOME: home, TMPDIR: home, ...countsEnvironment(counts) };
    const code = await runTests(copyTo(join(folder, 'checkout')), { ...nobody, env });
    const counted = readCounts(counts);
    if (counted !== undefined) await reportCounts(counted);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The user nobody owns the copy, because tests write below `_out`. */
function copyTo(target: string): string {
  const run = (...words: [string, ...string[]]) => {
    const [program, ...args] = words;
    return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  };
  // A file that another suite removes meanwhile makes the first attempt fail.
  const isCopied = () => run('cp', '-a', checkout, target);
  if (!isCopied()) {
    rmSync(target, { recursive: true, force: true });
    if (!isCopied()) throw new Error(`no copy of the checkout could be made in ${target}`);
  }
  if (!run('chown', '-R', `${nobody.uid}:${nobody.gid}`, target))
    throw new Error(`nobody cannot become the owner of ${target}`);
  return target;
}

async function runTests(cwd: string, user: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv }) {
  const child = spawn(process.execPath, ['tools/test.ts', '--user', ...process.argv.slice(2)], {
    ...{ cwd, stdio: 'inherit' as const, env: environment },
    ...user,
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

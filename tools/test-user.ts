// `make test-user`: the tests that depend on a user's rights, as an ordinary user. Root runs them as nobody, from a copy
// of the checkout where nobody cannot read this one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a node and its tests do where a file, the kernel's log or a socket is not theirs. */
const files = [
  'packages/linux/src/kernel-log.test.ts',
  'services/machined/src/host/kernel-log-source.test.ts',
  'tests/cluster/process/maintenance.test.ts',
  'tests/contract/machined/dmesg.test.ts',
  'tests/contract/machined/netstat.test.ts',
];
/** "nobody" and "nogroup" of Debian. */
const nobody = { uid: 65_534, gid: 65_534 } as const;

const checkout = join(import.meta.dirname, '..');
// What an ordinary user may not do is skipped there, which is no failure of the suite.
const { CI: _, ...environment } = process.env;
process.exitCode = process.getuid?.() === 0 ? await runAsNobody() : await runTests(checkout, {});

async function runAsNobody(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'test-user-'));
  try {
    chmodSync(folder, 0o755);
    const home = join(folder, 'home');
    mkdirSync(home);
    chownSync(home, nobody.uid, nobody.gid);
    const env = { ...environment, HOME: home, TMPDIR: home };
    return await runTests(isReadable(checkout) ? checkout : copyTo(join(folder, 'checkout')), {
      ...nobody,
      env,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isReadable(path: string): boolean {
  const tool = join(path, 'tools', 'test.ts');
  return (
    spawnSync('test', ['-r', tool, '-a', '-r', join(path, '_out', 'dist')], { ...nobody, cwd: '/' })
      .status === 0
  );
}

/** By hard links where the file system allows it. */
function copyTo(target: string): string {
  const copy = (how: string) => spawnSync('cp', [how, checkout, target], { stdio: 'ignore' }).status === 0;
  if (!copy('-al')) {
    rmSync(target, { recursive: true, force: true });
    if (!copy('-a')) throw new Error(`no copy of the checkout could be made in ${target}`);
  }
  chmodSync(target, 0o755);
  return target;
}

async function runTests(cwd: string, user: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv }) {
  const child = spawn(process.execPath, ['tools/test.ts', ...files], {
    ...{ cwd, stdio: 'inherit' as const, env: environment },
    ...user,
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

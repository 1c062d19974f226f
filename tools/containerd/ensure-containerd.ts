import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unpackPackages } from '@nodewright/build/debian';

export interface ContainerdPrograms {
  /** Holds all programs; containerd finds its shim and runc on the search path. */
  readonly folder: string;
  readonly containerd: string;
}

/** Per package: the programs to take, and the arguments with which a program proves that it runs here. */
const packages: Readonly<Record<string, readonly { path: string; probe: readonly string[] }[]>> = {
  containerd: [
    { path: 'usr/bin/containerd', probe: ['--version'] },
    { path: 'usr/bin/containerd-shim-runc-v2', probe: ['-v'] },
    { path: 'usr/bin/ctr', probe: ['--version'] },
  ],
  runc: [{ path: 'usr/sbin/runc', probe: ['--version'] }],
};
/** Newest first. On Debian 12, containerd 1.7 of Debian 13 runs but its runc does not. */
const suites = ['trixie', 'bookworm'] as const;
/** Of the set of programs, too. */
const version = 'debian-13-2';

/**
 * A real containerd with runc, unpacked from Debian's packages below `_out/tools` of a checkout, without
 * installing anything. Concurrent calls are safe.
 *
 * @throws Error with one line when the packages cannot be fetched or do not run here
 */
export function ensureContainerd(checkout: string): ContainerdPrograms {
  const parent = join(checkout, '_out', 'tools');
  const folder = join(parent, `containerd-${version}`);
  const programs = { folder, containerd: join(folder, 'containerd') };
  if (existsSync(programs.containerd)) return programs;
  const draft = join(parent, `containerd.${process.pid}.${Math.random().toString(36).slice(2)}`);
  try {
    mkdirSync(draft, { recursive: true });
    for (const [name, wanted] of Object.entries(packages)) takePackage(name, wanted, draft);
    renameSync(draft, folder);
  } catch (error) {
    // A concurrent call has already put the same programs there.
    if (!existsSync(programs.containerd)) {
      const line = (error instanceof Error ? error.message : String(error)).split('\n')[0];
      throw new Error(`containerd is not to be had from Debian's packages: ${line}`, { cause: error });
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return programs;
}

/** Takes the programs of a package from the newest release whose programs all run here. */
function takePackage(name: string, wanted: (typeof packages)[string], folder: string): void {
  const failures: string[] = [];
  for (const suite of suites) {
    const unpacked = join(folder, `${name}.${suite}`);
    try {
      unpackPackages(suite, [name], unpacked);
      for (const { path, probe } of wanted)
        execFileSync(join(unpacked, path), probe, { stdio: ['ignore', 'ignore', 'pipe'] });
      for (const { path } of wanted) copyFileSync(join(unpacked, path), join(folder, basename(path)));
      return;
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: Buffer | string };
      failures.push(`${suite}: ${String(stderr).split('\n')[0] || message.split('\n')[0]}`);
    } finally {
      rmSync(unpacked, { recursive: true, force: true });
    }
  }
  throw new Error(`no ${name} runs here (${failures.join('; ')})`);
}

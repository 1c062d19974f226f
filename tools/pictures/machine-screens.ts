import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A machine of its own shows them: upgrades it and writes what its screen shows. Tests make systems that do not work, and this room cannot. */
const program = 'tests/boot/long/show-screen.ts';
/** Beside other work an emulated machine takes minutes for each of its starts. */
const timeoutMs = 3_600_000;

export interface MachineScreen {
  readonly checkout: string;
  /** Which moment of an upgrade: one that `program` knows. */
  readonly moment: 'trial' | 'back';
  /** The PNG to write. */
  readonly path: string;
  /** Throws for a text that must not be in a picture. */
  readonly check: (text: string) => void;
}

/** Writes what the screen of a machine shows. @returns why it cannot be made here; undefined when it was made */
export function takeMachineScreen({ checkout, moment, path, check }: MachineScreen): string | undefined {
  const needed = ['_out/image/disk.raw', '_out/upgrade-images/v1.14.1/layout'];
  if (!needed.every((each) => existsSync(join(checkout, each))))
    return 'there is no machine to upgrade: make upgrade-image VERSION=v1.14.1';
  const folder = mkdtempSync(join(tmpdir(), 'screen-'));
  try {
    const target = join(folder, 'screen');
    execFileSync(process.execPath, [program, moment, target], {
      ...{ cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'], timeout: timeoutMs },
    });
    check(readFileSync(`${target}.txt`, 'utf8'));
    copyFileSync(`${target}.png`, path);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

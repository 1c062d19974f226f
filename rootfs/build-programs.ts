// `make rootfs-programs`: builds the programs of the root file system that come as Go modules, unless a cache has them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeArchitecture } from '@nodewright/build';
import { ensureRootProgram } from './go/ensure-root-program.ts';
import { type RootProgramName, rootPrograms } from './go/go-programs.ts';
import { runBuild } from './workshop.ts';

const note = (line: string) => void process.stdout.write(`rootfs-programs: ${line}\n`);

await runBuild('rootfs-programs', async () => {
  const work = mkdtempSync(join(tmpdir(), 'rootfs-programs-'));
  try {
    const workshop = { checkout: join(import.meta.dirname, '..'), work, architecture: nativeArchitecture() };
    for (const name of Object.keys(rootPrograms) as RootProgramName[])
      note(`${name} ${rootPrograms[name].version}: ${await ensureRootProgram(name, workshop, note)}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});

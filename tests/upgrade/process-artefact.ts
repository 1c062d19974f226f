// An artefact with the part for nodes of processes only: `make installer` takes minutes for the others. Its programs are those of this build,
// which say another version.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keysFolder, secureBootKey } from '@nodewright/build/keys';
import { buildInfo } from '@nodewright/contract';
import { neededFiles } from '@nodewright/installer';
import { layoutArchiveOf, testArtefact } from '@nodewright/installer/testing';
import { platformOfNode } from '@nodewright/oci';
import { checkout } from '../cluster/run-talosctl.ts';

const bundles = join(checkout, '_out', 'dist');
const machined = 'process/bundles/machined/machined.cjs';

export interface ProcessArtefactInit {
  readonly version: string;
  /** In place of the program of machined. */
  readonly program?: string;
  /** A program that runs before that of machined. */
  readonly prologue?: string;
  /** Default: the key of this build. */
  readonly signer?: ReturnType<typeof secureBootKey>;
}

/** Writes an artefact into a folder: `layout`, and `installer.tar`. */
export function writeProcessArtefact(
  folder: string,
  { version, program, prologue = '', signer = secureBootKey(keysFolder(checkout)) }: ProcessArtefactInit,
): { readonly layout: string; readonly archive: string } {
  const files: Record<string, Buffer> = {};
  for (const path of neededFiles.process) {
    const name = dirname(path).split('/').at(-1) ?? '';
    for (const below of readdirSync(join(bundles, name), { recursive: true, encoding: 'utf8' }).toSorted()) {
      const from = join(bundles, name, below);
      if (statSync(from).isFile()) files[`${dirname(path)}/${below}`] = readFileSync(from);
    }
  }
  const own = program ?? withVersion(files[machined] ?? Buffer.alloc(0), version);
  files[machined] = Buffer.from(prologue + own);
  const artefact = testArtefact({
    ...{ signer, files: [files], platform: platformOfNode(process.arch), isCompressed: true },
    describe: ({ layers }) => ({
      version,
      // It tells systems apart.
      rootHash: createHash('sha256')
        .update(JSON.stringify([version, layers]))
        .digest('hex'),
    }),
  });
  const layout = join(folder, 'layout');
  for (const [path, content] of artefact.files) {
    mkdirSync(dirname(join(layout, path)), { recursive: true });
    writeFileSync(join(layout, path), content);
  }
  const archive = join(folder, 'installer.tar');
  writeFileSync(archive, layoutArchiveOf(artefact));
  return { layout, archive };
}

/** The program says its version in one place. */
function withVersion(program: Buffer, version: string): string {
  const [own, other] = [JSON.stringify(buildInfo.tag), JSON.stringify(version)];
  const parts = program.toString('utf8').split(own);
  if (parts.length !== 2) throw new Error(`machined.cjs has ${own} ${parts.length - 1} times, and not once`);
  return parts.join(other);
}

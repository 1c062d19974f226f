// `make installer`: packs everything that nodes of any kind need for this version into one signed OCI image. With `--kubernetes` it is
// the one for nodes with Kubernetes.
import { createPublicKey } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeArchitecture, nodeImages } from '@nodewright/build';
import type { Edition } from '@nodewright/installer';
import { machineImages } from '@nodewright/provision/machine';
import { installerFolders } from './installer/installer-folders.ts';
import { makeInstaller } from './installer/make-installer.ts';
import { writeInstaller } from './installer/write-installer.ts';
import { signingKey } from './signing/image-keys.ts';
import { imageProblems } from './signing/image-signatures.ts';
import { keysFolder, megabytes, runBuild, unpackTools } from './workshop.ts';

async function main(checkout: string, edition: Edition): Promise<void> {
  const note = (line: string) => void process.stdout.write(`installer: ${line}\n`);
  const image = join(checkout, '_out', machineImages[edition]);
  if (!existsSync(join(image, 'cmdline.txt'))) throw new Error('there is no image: run make image');
  if (existsSync(join(image, 'extensions')))
    throw new Error('the image has extensions of its own: build it without EXTENSIONS=');
  const [problem] = imageProblems(image, createPublicKey(signingKey(keysFolder(checkout))));
  if (problem !== undefined) throw new Error(`${image}: ${problem}: run make image`);
  const archive = join(checkout, '_out', 'image', nodeImages[edition].file);
  if (!existsSync(archive)) throw new Error(`${archive} is missing: run make node-image`);
  const work = mkdtempSync(join(tmpdir(), 'installer-'));
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture() };
    const tools = await unpackTools(workshop);
    const read = (name: string) => readFileSync(join(image, name));
    const built = await makeInstaller({
      ...{ workshop, tools, edition, note },
      ...{ kernel: read('vmlinuz'), initramfs: read('initramfs') },
      ...{ squashfs: read('rootfs.squashfs'), hashTree: read('rootfs.verity') },
      commandLine: read('cmdline.txt').toString().trim(),
      nodeImage: readFileSync(archive),
    });
    const folder = join(checkout, '_out', installerFolders[edition]);
    writeInstaller(folder, built);
    const bytes = built.layout.reduce((sum, [, { length }]) => sum + length, 0);
    note(`${megabytes(bytes)}  ${folder}: layout, installer.tar`);
    note(`manifest ${built.manifestDigest}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main)
  await runBuild('installer', () =>
    main(join(import.meta.dirname, '..'), process.argv.includes('--kubernetes') ? 'kubernetes' : 'plain'),
  );

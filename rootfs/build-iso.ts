// `make iso`: packs the image and the artefact of the same version into a medium that starts machines by BIOS and UEFI. What it starts runs in
// memory, in maintenance, and installs itself without a registry.
import { createPublicKey } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extraArgumentProblem, rootHashIn, withExtraArguments } from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { secureBootKey } from '@nodewright/build/keys';
import { buildInfo } from '@nodewright/contract';
import type { Edition } from '@nodewright/installer';
import { machineImages } from '@nodewright/provision/machine';
import { kernelRelease, modulesOfRoot } from './extensions/root-modules.ts';
import { stubPath } from './image/efi-names.ts';
import { settingsFiles } from './image/settings-files.ts';
import { unifiedKernel } from './image/unified-kernel.ts';
import { installerFolders } from './installer/installer-folders.ts';
import { makeMediumLoader } from './iso/medium-loader.ts';
import { mediumFolder, mediumMenu } from './iso/medium-menu.ts';
import { writeIso } from './iso/write-iso.ts';
import { mediumPackages } from './recipe.ts';
import { signProgram } from './secure-boot/authenticode.ts';
import { signingKey } from './signing/image-keys.ts';
import { imageProblems } from './signing/image-signatures.ts';
import { commitTime, keysFolder, megabytes, runBuild, unpackLocked, unpackTools } from './workshop.ts';

const volumeCharacters = 32;

async function main(checkout: string, edition: Edition, extra: readonly string[]): Promise<void> {
  const note = (line: string) => void process.stdout.write(`iso: ${line}\n`);
  const architecture = nativeArchitecture();
  if (architecture !== 'amd64') throw new Error('an ISO is made for amd64 only');
  const image = join(checkout, '_out', machineImages[edition]);
  if (!existsSync(join(image, 'cmdline.txt'))) throw new Error('there is no image: run make image');
  const [problem] = imageProblems(image, createPublicKey(signingKey(keysFolder(checkout))));
  if (problem !== undefined) throw new Error(`${image}: ${problem}: run make image`);
  const artefact = join(checkout, '_out', installerFolders[edition], 'installer.tar');
  if (!existsSync(artefact)) throw new Error(`${artefact} is missing: run make installer`);
  const read = (name: string) => readFileSync(join(image, name));
  const ofImage = read('cmdline.txt').toString().trim();
  const refused = extraArgumentProblem(ofImage, extra);
  if (refused !== undefined) throw new Error(refused);
  const commandLine = withExtraArguments(ofImage, extra).replace(
    'nodewright.slot=A',
    `nodewright.slot=${mediumFolder}`,
  );

  const work = mkdtempSync(join(tmpdir(), 'iso-'));
  try {
    const workshop = { checkout, work, architecture };
    const tools = await unpackTools(workshop);
    for (const name of mediumPackages(architecture)) await unpackLocked(name, join(work, 'tools'), workshop);
    const { key, certificate } = secureBootKey(keysFolder(checkout));
    const epochSeconds = commitTime(checkout);
    const [kernel, initramfs, squashfs] = [read('vmlinuz'), read('initramfs'), read('rootfs.squashfs')];
    const unified = unifiedKernel(readFileSync(tools.path(stubPath(architecture))), {
      osRelease: settingsFiles(buildInfo, '')['etc/os-release'] ?? '',
      kernelRelease: kernelRelease(modulesOfRoot(squashfs, work, tools), join(work, 'iso-modules')),
      ...{ commandLine, kernel, initramfs },
    });
    const loader = makeMediumLoader(tools, work);
    const folder = join(checkout, '_out', 'iso');
    mkdirSync(folder, { recursive: true });
    const suffix = edition === 'kubernetes' ? '-kubernetes' : '';
    const target = join(folder, `nodewright-${architecture}${suffix}.iso`);
    writeIso(target, tools, work, {
      volume: `NODEWRIGHT_${buildInfo.tag}`
        .toUpperCase()
        .replace(/[^A-Z0-9_]/g, '_')
        .slice(0, volumeCharacters),
      epochSeconds,
      loader: { ...loader, efi: signProgram(loader.efi, key, certificate) },
      files: {
        'boot/vmlinuz': kernel,
        'boot/initramfs': initramfs,
        'boot/grub/grub.cfg': Buffer.from(mediumMenu(buildInfo.tag, commandLine)),
        [`${mediumFolder}/roothash`]: Buffer.from(`${rootHashIn(commandLine)}\n`),
        [`${mediumFolder}/rootfs.squashfs`]: squashfs,
        [`${mediumFolder}/rootfs.verity`]: read('rootfs.verity'),
        [`${mediumFolder}/nodewright.efi`]: signProgram(unified, key, certificate),
        [`${mediumFolder}/install.tar`]: artefact,
      },
    });
    note(`${megabytes(statSync(target).size)}  ${target}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const edition = process.argv.includes('--kubernetes') ? 'kubernetes' : 'plain';
  const extra = (process.env.KERNEL_ARGUMENTS ?? '').split(/\s+/).filter((word) => word !== '');
  await runBuild('iso', () => main(join(import.meta.dirname, '..'), edition, extra));
}

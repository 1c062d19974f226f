import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootHashIn } from '@nodewright/boot';
import { buildEtcd, etcdVersion } from '@nodewright/build/etcd';
import { secureBootKey, trustedCertificates } from '@nodewright/build/keys';
import { ensureKubernetes } from '@nodewright/build/kubernetes';
import type { Edition } from '@nodewright/installer';
import type { LockedTools } from '../debian/locked-tools.ts';
import { placedPartitions } from '../disk/disk-image.ts';
import { makeGrub } from '../disk/grub-image.ts';
import { kernelRelease, modulesOfRoot } from '../extensions/root-modules.ts';
import { etcdImageCache } from '../image/cached-etcd.ts';
import { loaderPath, stubPath } from '../image/efi-names.ts';
import { kubernetesImageCache } from '../kubernetes/build-images.ts';
import { bundlesOf, commitTime, keysFolder, tagOf, type Workshop } from '../workshop.ts';
import { lowestVersion } from './lowest-version.ts';
import { machineFiles } from './machine-files.ts';
import { bundleFiles, programFiles } from './process-files.ts';
import { type BuiltInstaller, buildInstaller } from './write-installer.ts';

export interface MakeInstallerInit {
  readonly workshop: Workshop;
  readonly tools: LockedTools;
  readonly edition: Edition;
  readonly kernel: Buffer;
  readonly initramfs: Buffer;
  readonly squashfs: Buffer;
  readonly hashTree: Buffer;
  /** For slot A. */
  readonly commandLine: string;
  /** The archive of the image of a node in one container. */
  readonly nodeImage: Buffer;
  readonly note: (line: string) => void;
}

/**
 * Makes the artefact of the installer from the parts of an image.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function makeInstaller(init: MakeInstallerInit): Promise<BuiltInstaller> {
  const { workshop, tools, edition, note } = init;
  const { checkout, architecture, work } = workshop;
  const epochSeconds = commitTime(checkout);
  const signer = secureBootKey(keysFolder(checkout));
  const hasKubernetes = edition === 'kubernetes';
  const release = kernelRelease(modulesOfRoot(init.squashfs, work, tools), join(work, 'installer-modules'));
  const images = {
    ...etcdImageCache({ checkout, architecture, epochSeconds, note }),
    ...(hasKubernetes && (await kubernetesImageCache({ workshop, tools, epochSeconds, note }))),
  };
  const machine = machineFiles({
    ...init,
    kernelRelease: release,
    stub: readFileSync(tools.path(stubPath(architecture))),
    loader: readFileSync(tools.path(loaderPath(architecture))),
    grub: architecture === 'amd64' ? makeGrub(tools, work, biosPlace()) : undefined,
    signer,
    tag: tagOf(workshop),
  });
  const programs = {
    ...programFiles('etcd', buildEtcd(checkout, note)),
    ...(hasKubernetes && programFiles('kubernetes', await kubernetesProgram(checkout, note))),
  };
  note('packing');
  return buildInstaller({
    ...{ architecture, epochSeconds, signer },
    description: {
      version: tagOf(workshop),
      edition,
      lowestVersion,
      rootHash: rootHashIn(init.commandLine),
      etcdVersion,
      certificates: trustedCertificates(keysFolder(checkout)).map((certificate) => certificate.toString()),
    },
    layers: [
      { files: machine },
      { files: below('machine/images', images) },
      { files: bundleFiles(bundlesOf(workshop)), compression: 'zstd' },
      { files: programs, compression: 'zstd' },
      { files: { 'container/node-image.tar': init.nodeImage } },
    ],
  });
}

/** One file is all programs of Kubernetes: it chooses by the name that it was started with. */
export async function kubernetesProgram(checkout: string, note: (line: string) => void) {
  const { folder } = await ensureKubernetes({ checkout, environment: process.env, note });
  return { kube: join(folder, 'kubelet') };
}

const biosPlace = () => placedPartitions().find(({ label }) => label === 'BIOS')?.first ?? 0;

const below = (folder: string, files: Readonly<Record<string, Buffer>>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));

// `make qcow2`: writes the disk image in the format of QEMU, for hypervisors that take no raw image.
import { createPublicKey } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from '@nodewright/installer';
import { machineImages } from '@nodewright/provision/machine';
import { writeQcow2 } from './disk/qcow2.ts';
import { signingKey } from './signing/image-keys.ts';
import { imageProblems } from './signing/image-signatures.ts';
import { keysFolder, megabytes, runBuild } from './workshop.ts';

async function main(checkout: string, edition: Edition): Promise<void> {
  const image = join(checkout, '_out', machineImages[edition]);
  if (!existsSync(join(image, 'disk.raw'))) throw new Error('there is no image: run make image');
  const [problem] = imageProblems(image, createPublicKey(signingKey(keysFolder(checkout))));
  if (problem !== undefined) throw new Error(`${image}: ${problem}: run make image`);
  const target = join(image, 'disk.qcow2');
  writeQcow2(join(image, 'disk.raw'), target);
  process.stdout.write(`qcow2: ${megabytes(statSync(target).size)}  ${target}\n`);
}

if (import.meta.main) {
  const edition = process.argv.includes('--kubernetes') ? 'kubernetes' : 'plain';
  await runBuild('qcow2', () => main(join(import.meta.dirname, '..'), edition));
}

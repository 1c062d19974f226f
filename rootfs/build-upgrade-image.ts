// `make upgrade-image VERSION=`: an artefact of the installer like that of `make installer`, but of another version: its programs say
// that version, so a test can see which of two systems runs. Kernel and initramfs are those of the image, all else is built again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootHashIn } from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { verityTree } from '@nodewright/disk';
import { type Edition, isVersion } from '@nodewright/installer';
import { machineImages } from '@nodewright/provision/machine';
import { placeCertificate, stageRoot } from './build-rootfs.ts';
import { squashRoot } from './image/squash-root.ts';
import { upgradeImagesFolder } from './installer/installer-folders.ts';
import { makeInstaller } from './installer/make-installer.ts';
import { writeInstaller } from './installer/write-installer.ts';
import { kernelNamed } from './kernels.ts';
import { packNodeImage } from './node-image/pack-node-image.ts';
import { parts } from './recipe.ts';
import { commitTime, megabytes, runBuild, unpackTools } from './workshop.ts';

/** The bundles that are in an artefact, or that its programs are made with. */
const bundleNames = [
  ...['machined', 'apid', 'trustd', 'registryd', 'udevd-bridge'],
  ...['process-supervisor', 'start-daemon', 'health-probe'],
];

async function main(checkout: string, tag: string, edition: Edition): Promise<void> {
  const note = (line: string) => void process.stdout.write(`upgrade-image: ${line}\n`);
  if (!isVersion(tag)) throw new Error('VERSION= names a version, such as v1.14.1');
  const image = join(checkout, '_out', machineImages[edition]);
  if (!existsSync(join(image, 'cmdline.txt'))) throw new Error('there is no image: run make image');
  const startMs = performance.now();
  const work = mkdtempSync(join(tmpdir(), 'upgrade-image-'));
  try {
    const bundles = join(work, 'bundles');
    const program = join(checkout, 'tools', 'build.ts');
    const words = ['--tag', tag, '--out', bundles, ...bundleNames];
    execFileSync(process.execPath, [program, ...words], {
      cwd: checkout,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const kernel = kernelNamed(process.env.KERNEL);
    const workshop = { checkout, work, architecture: nativeArchitecture(), kernel, tag, bundles };
    const tools = await unpackTools(workshop);
    const { root } = await stageRoot(workshop, tools, parts, note);
    const hasKubernetes = edition === 'kubernetes';
    note('packing the image of a node');
    const { archive } = await packNodeImage({ workshop, tools, root, hasKubernetes, note });
    placeCertificate(root, checkout);
    note('compressing the root, which takes a minute');
    const target = join(work, 'rootfs.squashfs');
    squashRoot({ root, target, tools, epochSeconds: commitTime(checkout) });
    const squashfs = readFileSync(target);
    const salt = createHash('sha256').update(squashfs).digest();
    const { rootHash, file: hashTree } = verityTree(squashfs, { salt, uuid: salt.subarray(0, 16) });
    const line = readFileSync(join(image, 'cmdline.txt'), 'utf8').trim();
    const built = await makeInstaller({
      ...{ workshop, tools, edition, note, squashfs, hashTree },
      kernel: readFileSync(join(image, 'vmlinuz')),
      initramfs: readFileSync(join(image, 'initramfs')),
      commandLine: line.replace(rootHashIn(line), rootHash),
      nodeImage: Buffer.concat(archive),
    });
    const folder = join(checkout, '_out', upgradeImagesFolder, hasKubernetes ? `${tag}-kubernetes` : tag);
    writeInstaller(folder, built);
    const bytes = built.layout.reduce((sum, [, { length }]) => sum + length, 0);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
    note(`${megabytes(bytes)}  ${folder}: layout, installer.tar, in ${seconds} s`);
    note(`manifest ${built.manifestDigest}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const edition = process.argv.includes('--kubernetes') ? 'kubernetes' : 'plain';
  await runBuild('upgrade-image', () =>
    main(join(import.meta.dirname, '..'), process.env.VERSION ?? '', edition),
  );
}

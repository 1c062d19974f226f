// `make extension-set`: stacks extensions into a signed set for nodes with the image in _out/image.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootHashIn } from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { secureBootKey } from '@nodewright/build/keys';
import { buildExtensionSet } from './extensions/build-extension-set.ts';
import { kernelRelease, modulesOfRoot } from './extensions/root-modules.ts';
import { commitTime, keysFolder, megabytes, runBuild, unpackTools } from './workshop.ts';

async function main(checkout: string): Promise<void> {
  const image = join(checkout, '_out', 'image');
  if (!existsSync(join(image, 'cmdline.txt'))) throw new Error('there is no image: run make image');
  if (existsSync(join(image, 'extensions')))
    throw new Error(
      'the image has extensions of its own: build it without EXTENSIONS=, and put all of them into the set',
    );
  const names = (process.env.EXTENSIONS ?? '').split(/\s+/).filter((name) => name !== '');
  const work = mkdtempSync(join(tmpdir(), 'extension-set-'));
  try {
    const tools = await unpackTools({ checkout, work, architecture: nativeArchitecture() });
    const place = modulesOfRoot(readFileSync(join(image, 'rootfs.squashfs')), work, tools);
    const { rootHash, archive } = await buildExtensionSet(names, {
      ...{ tools, work, epochSeconds: commitTime(checkout) },
      modules: { release: kernelRelease(place, join(work, 'modules-of-root')), place },
      imageRootHash: rootHashIn(readFileSync(join(image, 'cmdline.txt'), 'utf8')),
      signer: secureBootKey(keysFolder(checkout)),
    });
    const folder = join(checkout, '_out', 'extension-sets');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${rootHash.slice(0, 12)}.set`);
    writeFileSync(path, archive);
    process.stdout.write(`extension-set: ${megabytes(archive.length).trim()}  ${path}\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

await runBuild('extension-set', () => main(join(import.meta.dirname, '..')));

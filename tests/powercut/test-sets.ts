// Sets of extensions for the image, which its machines trust.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootHashIn } from '@nodewright/boot';
import { secureBootKey } from '@nodewright/build/keys';
import { buildExtensionSet } from '../../rootfs/extensions/build-extension-set.ts';
import { keysFolder, unpackTools } from '../../rootfs/workshop.ts';
import { writeExtension } from '../boot/extension-source.ts';
import { imageFolder } from '../boot/machine.ts';
import { SeededRandom } from '../fuzz/seeded-random.ts';
import type { SetFacts } from './judge-finding.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** As many are installed one after the other: a machine takes no more before its power fails. */
const count = 12;
/** Long enough for several requests to the disk; it does not compress. Each has another length, so that none has the blocks of another. */
const contentBytes = (number: number) => (200 + 40 * (number % 4)) * 1024;

export interface TestSets extends SetFacts {
  /** The file of a set, from 0. */
  path(number: number): string;
}

/** Makes the sets in `folder`, unless they are there. */
export async function openTestSets(folder: string): Promise<TestSets> {
  const target = join(folder, 'sets');
  if (!existsSync(target)) await makeSets(target);
  const rootHashes = JSON.parse(readFileSync(join(target, 'root-hashes.json'), 'utf8')) as string[];
  const root = createHash('sha256')
    .update(readFileSync(join(imageFolder, 'rootfs.squashfs')))
    .digest('hex');
  return {
    root,
    rootHashes: Object.fromEntries(rootHashes.entries()),
    path: (number) => {
      if (number >= count) throw new Error(`there is no set ${number}: the power must fail earlier`);
      return join(target, `${number}.set`);
    },
  };
}

async function makeSets(target: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'powercut-sets-'));
  try {
    const made = join(work, 'made');
    mkdirSync(made);
    const tools = await unpackTools({ checkout, work, architecture: 'amd64' });
    const imageRootHash = rootHashIn(readFileSync(join(imageFolder, 'cmdline.txt'), 'utf8'));
    const signer = secureBootKey(keysFolder(checkout));
    const rootHashes: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const place = join(work, String(number));
      mkdirSync(place);
      const content = new SeededRandom(number).bytes(contentBytes(number));
      const source = writeExtension(place, 'powercut', { 'usr/local/share/powercut/content': content });
      const { archive, rootHash } = await buildExtensionSet([source], {
        ...{ tools, work: place, epochSeconds: 1_700_000_000, imageRootHash, signer },
        modules: {
          release: 'none',
          place: () => {
            throw new Error('the extension has no modules');
          },
        },
      });
      writeFileSync(join(made, `${number}.set`), archive);
      rootHashes.push(rootHash);
    }
    writeFileSync(join(made, 'root-hashes.json'), JSON.stringify(rootHashes));
    mkdirSync(`${target}.new`, { recursive: true });
    for (const name of ['root-hashes.json', ...rootHashes.map((_, number) => `${number}.set`)])
      writeFileSync(join(`${target}.new`, name), readFileSync(join(made, name)));
    renameSync(`${target}.new`, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

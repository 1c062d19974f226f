// Examines the sets of extensions on a partition BOOT, and installs another one there.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verityTree } from '@nodewright/disk';
import { setFiles, setTreeInit } from '@nodewright/extensions/sets';
import type { SetNames } from '../../../services/machined/src/extensions/domain/plan-set-start.ts';
import type { BootPartition } from '../../../services/machined/src/extensions/host/boot-partition.ts';
import {
  nameNext,
  placeSet,
  readSet,
  readSetNames,
  removeOthers,
} from '../../../services/machined/src/extensions/host/set-folder.ts';

const received = '/run/received';
/** Larger than the sets of the tests, so that it gets blocks that a damaged map could count as free. */
const installedBytes = 3 << 20;

/**
 * Returns the names of the sets, all of which are whole, and the digest of the root. A set was installed meanwhile by machined's own
 * code, which must damage nothing of that.
 *
 * @throws Error that names what is damaged
 */
export async function examineSets(
  boot: BootPartition,
): Promise<{ readonly sets: Record<string, string>; readonly root: string }> {
  const names = await boot.read((slot) => wholeSets(join(slot, 'sets')));
  const installed = await install(boot, names);
  // The partition is mounted anew, so that everything is read from the disk.
  return boot.read(async (slot) => {
    const after = await wholeSets(join(slot, 'sets'));
    if (after.next !== installed) throw new Error('the set that was installed is not the next one');
    for (const name of ['active', 'tried'] as const)
      if (after[name] !== names[name]) throw new Error(`an installation has changed the file ${name}`);
    const named = Object.entries(names).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { sets: Object.fromEntries(named), root: await digestOf(join(slot, 'rootfs.squashfs')) };
  });
}

async function wholeSets(folder: string): Promise<SetNames> {
  const names = await readSetNames(folder);
  for (const name of Object.values(names) as (string | undefined)[])
    if (name !== undefined && name !== 'none') await checkSet(folder, name);
  return names;
}

async function checkSet(folder: string, name: string): Promise<void> {
  const description = await readSet(folder, name);
  if (description?.rootHash !== name) throw new Error(`the description of the set ${name} is damaged`);
  const squashfs = readFileSync(join(folder, name, setFiles.squashfs));
  const tree = readFileSync(join(folder, name, setFiles.tree));
  const expected = verityTree(squashfs, setTreeInit(createHash('sha256').update(squashfs).digest()));
  if (expected.rootHash !== name || !expected.file.equals(tree))
    throw new Error(`the set ${name} is damaged`);
  if (readFileSync(join(folder, name, setFiles.rootHashSignature)).length === 0)
    throw new Error(`the set ${name} has no signature`);
}

/** Installs a set in the steps of machined. Returns its name. */
async function install(boot: BootPartition, names: SetNames): Promise<string> {
  const squashfs = Buffer.alloc(installedBytes, `after ${JSON.stringify(names)} `);
  const { rootHash, file: tree } = verityTree(
    squashfs,
    setTreeInit(createHash('sha256').update(squashfs).digest()),
  );
  writeFileSync(received, squashfs);
  const description = { rootHash, imageRootHash: 'a'.repeat(64), squashfsBytes: squashfs.length, layers: [] };
  const set = { description, tree, squashfsOffset: 0, rootHashSignature: Buffer.from('signature') };
  await boot.write(async (slot, flush) => {
    const folder = join(slot, 'sets');
    await placeSet(folder, set, { archive: received, isTriedOpen: false });
    flush();
    await nameNext(folder, rootHash);
    await removeOthers(folder, false);
  });
  return rootHash;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}

// Sets of extensions that an emulated machine gets while it runs. Ten boots: a verb of its own runs it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rootHashIn } from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { secureBootKey } from '@nodewright/build/keys';
import { createSetSigner } from '@nodewright/extensions/testing';
import { guestNetwork, makeMachineDisk } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import type { LockedTools } from '../../../rootfs/debian/locked-tools.ts';
import { type BuiltSet, buildExtensionSet } from '../../../rootfs/extensions/build-extension-set.ts';
import { keysFolder, unpackTools } from '../../../rootfs/workshop.ts';
import { flipByte } from '../changed-disk.ts';
import { writeExtension } from '../extension-source.ts';
import { imageFolder, type Machine, type MachineInit, noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';
import { diskWithFiles } from './disk-with-files.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const { folder, succeeds, shows, talosctl, generate, configures, trusted, machineDisk, ...workplace } =
  openWorkplace();
after(() => workplace[Symbol.dispose]());

const timeoutMs = 600_000;
const file = 'usr/local/share/demo/version';
const disk = join(folder, 'disk.raw');
let locked: LockedTools | undefined;
const tools = () => locked ?? assert.fail('no tools');
const sets: Record<'first' | 'second' | 'ofOther' | 'ofOtherImage', BuiltSet> = {} as never;

before(async () => {
  if (skip !== false) return;
  const work = join(folder, 'work');
  mkdirSync(work);
  locked = await unpackTools({ checkout, work, architecture: nativeArchitecture() });
  const imageRootHash = rootHashIn(readFileSync(join(imageFolder, 'cmdline.txt'), 'utf8'));
  const own = { imageRootHash, signer: secureBootKey(keysFolder(checkout)) };
  const build = async (name: string, init = own) => {
    const place = join(folder, name);
    mkdirSync(place);
    const source = writeExtension(place, 'demo', { [file]: name });
    const built = await buildExtensionSet([source], {
      ...{ ...init, tools: tools(), work: place, epochSeconds: 1_700_000_000 },
      modules: { release: 'none', place: () => assert.fail('no extension has modules') },
    });
    writeFileSync(join(folder, `${name}.set`), built.archive);
    return built;
  };
  sets.first = await build('first');
  sets.second = await build('second');
  sets.ofOther = await build('ofOther', { ...own, signer: createSetSigner() });
  sets.ofOtherImage = await build('ofOtherImage', { ...own, imageRootHash: 'a'.repeat(64) });
  const changed = Buffer.from(sets.first.archive);
  changed.writeUInt8(changed.readUInt8(changed.indexOf('hsqs') + 100) ^ 1, changed.indexOf('hsqs') + 100);
  writeFileSync(join(folder, 'changed.set'), changed);
  machineDisk('disk.raw');
});

const start = (init: Partial<MachineInit> = {}) =>
  startMachine({ ...{ disk, keepsDisk: true, boot: { kind: 'kernel', words: [guestNetwork] } }, ...init });

async function off(machine: Machine): Promise<void> {
  await machine.pressPower();
  await machine.isOff(timeoutMs);
}

const nameOf = ({ rootHash }: BuiltSet) => rootHash.slice(0, 12);

/** Waits until the machine has decided about the set that this start has tried. */
const showsSets = (machine: Machine, pattern: RegExp) =>
  shows([...trusted(machine), 'extensions', 'sets'], pattern, timeoutMs);

test('a set is installed, replaced and removed with a restart each, and one that cannot start leaves the old one', {
  skip,
}, async () => {
  const patch = JSON.stringify({ machine: { time: { disabled: true } } });
  await generate('demo', '--config-patch-control-plane', patch);
  {
    await using machine = await start();
    const own = trusted(machine);
    await configures(machine, 'controlplane.yaml');
    await showsSets(machine, /this +none *\n/);
    for (const [name, reason] of [
      ['ofOther', /the set is not signed with a key that this image trusts/],
      ['ofOtherImage', /the set was built for the image with the root hash a{64}/],
      ['changed', /set\.squashfs or set\.verity was changed/],
    ] as const) {
      const refused = await talosctl(...own, 'extensions', 'install', `${name}.set`);
      assert.equal(refused.exitCode, 1);
      assert.match(refused.output, reason);
    }
    assert.doesNotMatch(await succeeds([...own, 'extensions', 'sets']), / next /);
    await succeeds([...own, 'extensions', 'install', 'first.set'], timeoutMs);
    await showsSets(machine, new RegExp(`this +none *\\n.* next +${nameOf(sets.first)} .* demo 1\\.2\\.3`));
    await off(machine);
  }
  {
    await using machine = await start();
    const own = trusted(machine);
    await machine.shows(new RegExp(`extensions of the set ${sets.first.rootHash}`), timeoutMs);
    await showsSets(machine, new RegExp(`this +${nameOf(sets.first)} .* demo 1\\.2\\.3 *\\n$`));
    assert.equal(await succeeds([...own, 'read', `/${file}`]), 'first');
    assert.match(await succeeds([...own, 'get', 'extensions']), / 1 +1 +demo +1\.2\.3/);
    await succeeds([...own, 'extensions', 'install', 'second.set'], timeoutMs);
    await off(machine);
  }
  makeMachineDisk(disk, join(folder, 'both.raw'), 0);
  // The superblock of the second set, which its first start reads.
  flipByte(disk, { home: 'BOOT', content: squashfsOf(sets.second), distance: 40 });
  {
    await using machine = await start();
    const problem = `the set ${sets.second.rootHash} was tried and the machine did not start well with it`;
    await showsSets(machine, new RegExp(`this +${nameOf(sets.first)} .* demo 1\\.2\\.3 +${problem}`));
    assert.equal(await succeeds([...trusted(machine), 'read', `/${file}`]), 'first');
    await off(machine);
  }
  makeMachineDisk(join(folder, 'both.raw'), disk, 0);
  {
    await using machine = await start();
    const own = trusted(machine);
    await showsSets(machine, new RegExp(`this +${nameOf(sets.second)} .* demo 1\\.2\\.3 *\\n$`));
    assert.equal(await succeeds([...own, 'read', `/${file}`]), 'second');
    await succeeds([...own, 'extensions', 'remove', '--yes'], timeoutMs);
    await showsSets(machine, /next +none/);
    await off(machine);
  }
  {
    await using machine = await start();
    const own = trusted(machine);
    await showsSets(machine, /this +none *\n$/);
    assert.equal((await talosctl(...own, 'read', `/${file}`)).exitCode, 1);
    const writes = () => machine.console().match(/re-mounted \S+ r\/w/g)?.length ?? 0;
    const before = writes();
    const installing = talosctl(...own, 'extensions', 'install', 'first.set');
    const isWriting = { what: 'a write to BOOT', timeoutMs, explain: machine.console };
    await eventually(() => writes() > before, isWriting);
    // The power fails.
    await machine[Symbol.asyncDispose]();
    await installing;
  }
  await using machine = await start();
  const own = trusted(machine);
  // All of the set is there, or none of it.
  const afterwards = new RegExp(`this +(none|${nameOf(sets.first)} .* demo 1\\.2\\.3) *\\n$`);
  await showsSets(machine, afterwards);
  await succeeds([...own, 'extensions', 'install', 'second.set'], timeoutMs);
  await showsSets(machine, new RegExp(`next +${nameOf(sets.second)} .* demo 1\\.2\\.3`));
});

/** The files of a set on BOOT, with one flipped bit in one of them. */
function filesOf({ archive, rootHash }: BuiltSet, changed?: { name: string; at: number }) {
  const files: Record<string, Buffer> = {};
  for (const name of ['description.json', 'roothash.p7s', 'set.verity', 'set.squashfs']) {
    const header = archive.indexOf(`${name}\0`);
    const bytes = Number.parseInt(archive.toString('latin1', header + 124, header + 135), 8);
    const content = Buffer.from(archive.subarray(header + 512, header + 512 + bytes));
    if (name === changed?.name) content.writeUInt8(content.readUInt8(changed.at) ^ 1, changed.at);
    files[`A/sets/${rootHash}/${name}`] = content;
  }
  return files;
}

const line = (text: string) => Buffer.from(`${text}\n`);

test('the init tries a set once, and uses the one before when it cannot be opened', { skip }, async () => {
  const { first, second } = sets;
  const files = { ...filesOf(first), ...filesOf(second, { name: 'set.squashfs', at: 40 }) };
  const names = { 'A/sets/next': line(second.rootHash), 'A/sets/active': line(first.rootHash) };
  const disk = diskWithFiles(join(folder, 'damaged'), tools(), { ...files, ...names });
  for (const tries of [true, false]) {
    await using machine = await startMachine({ disk, keepsDisk: true, boot: { kind: 'kernel' } });
    await machine.shows(/switching to the root file system/, timeoutMs);
    assert.equal(machine.console().includes(`the set of extensions ${second.rootHash} is left out`), tries);
    assert.match(machine.console(), new RegExp(`extensions of the set ${first.rootHash}`));
  }
});

test('with Secure Boot the kernel opens a set with its signature, and refuses it when one bit of that was changed', {
  skip,
}, async () => {
  const { first } = sets;
  const active = { 'A/sets/active': line(first.rootHash) };
  const boot = { kind: 'secure-boot' } as const;
  {
    const disk = diskWithFiles(join(folder, 'secure'), tools(), { ...filesOf(first), ...active });
    await using machine = await startMachine({ disk, boot });
    await machine.shows(/switching to the root file system/, timeoutMs);
    assert.match(machine.console(), new RegExp(`extensions of the set ${first.rootHash}`));
  }
  const files = filesOf(first, { name: 'roothash.p7s', at: 300 });
  const disk = diskWithFiles(join(folder, 'unsigned'), tools(), { ...files, ...active });
  await using machine = await startMachine({ disk, boot });
  await machine.shows(/switching to the root file system/, timeoutMs);
  assert.match(machine.console(), /cannot load the hash tree of .*: error \d+/);
  assert.match(machine.console(), new RegExp(`the set of extensions ${first.rootHash} is left out`));
});

/** The squashfs at the end of the archive, without the two blocks that end that, and what fills its last block. */
function squashfsOf({ archive }: BuiltSet): Buffer {
  return archive.subarray(archive.indexOf('hsqs'), archive.indexOf('hsqs') + 4096);
}

// Writes the system of an artefact into a slot. Until its last rename the slot is no boot entry, and the running slot is never touched.
import { createHash } from 'node:crypto';
import { type BootFiles, rootHashIn, type Slot, slotFiles } from '@nodewright/boot';
import { VerityTreeBuilder, verityTreeInit } from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import type { ArtefactFile, ArtefactSink } from '@nodewright/installer';
import { type PlacedFile, temporaryName as temporary, unifiedKernelOf } from '../domain/slot-plan.ts';
import type { PartitionAccess, PartitionFiles } from './partition-files.ts';

export interface SlotWriterInit {
  readonly boot: PartitionAccess;
  readonly efi: PartitionAccess;
  /** Default: that of machines. */
  readonly form?: SlotForm;
}

/** What makes the files of a slot a system, which differs between kinds of nodes. */
export interface SlotForm {
  /** Compares what belongs together, before any file has its name. @throws Fault `data-loss` */
  check(boot: PartitionFiles, slot: Slot, rootHash: string): Promise<void>;
  /** The list that makes the slot complete. @throws Fault `failed-precondition` when a file is missing */
  digests(slot: Slot, files: readonly PlacedFile[]): string;
}

/** A system that is to be written. */
export interface NewSystem {
  readonly rootHash: string;
  readonly files: readonly PlacedFile[];
  /** Passes the wanted files to the sink, as `readArtefact()` does. */
  readonly read: (sink: ArtefactSink, isWanted: (file: ArtefactFile) => boolean) => Promise<void>;
  /** Writes what else the slot has into its folder on BOOT, such as a set of extensions. */
  readonly writeMore?: ((files: PartitionFiles) => Promise<void>) | undefined;
  /** Examines the unified kernel before it gets its name. @throws Fault when the firmware would not start it */
  readonly checkUnifiedKernel?: ((kernel: BootFiles, path: string) => Promise<void>) | undefined;
  /** Changes files of the slot on BOOT that were compared, before they are a boot entry. */
  readonly finish?: ((files: PartitionFiles) => Promise<void>) | undefined;
  /** Whether the folder of the slot has what `writeMore` wrote, by its digests. @throws Fault `data-loss` */
  readonly checkMore?: ((files: PartitionFiles) => Promise<void>) | undefined;
}

/** The steps of an upgrade that change the files of a slot. */
export interface SlotWriter {
  /** The slot is no boot entry any more; then its files are removed. Nothing happens when it is empty. */
  empty(slot: Slot): Promise<void>;
  /**
   * Writes the files under other names and compares what the disk has with their digests and with the root hash; then they get their
   * names. They are no boot entry yet. After a failure the slot has to be emptied.
   *
   * @throws Fault `data-loss` when the disk does not have what was written, or the artefact contradicts itself; as `read()`
   */
  fill(slot: Slot, system: NewSystem): Promise<void>;
  /** Makes the files a boot entry. */
  complete(slot: Slot): Promise<void>;
  /** Marks the slot as one that is tried: its init starts a watchdog. */
  mark(slot: Slot): Promise<void>;
  unmark(slot: Slot): Promise<void>;
}

export function createSlotWriter({ boot, efi, form = machineForm }: SlotWriterInit): SlotWriter {
  return {
    async empty(slot) {
      const digests = `${slot}/${slotFiles.digests}`;
      const kernel = unifiedKernelOf(slot);
      if ((await boot.read((files) => files.sizeOf(digests))) > 0)
        await boot.write((files) => files.remove(digests));
      const onEfi = await efi.read(async (files) => [
        ...((await files.sizeOf(kernel)) > 0 ? [kernel] : []),
        ...((await files.sizeOf(temporary(kernel))) > 0 ? [temporary(kernel)] : []),
      ]);
      if (onEfi.length > 0)
        await efi.write(async (files) => {
          for (const path of onEfi) await files.remove(path);
        });
      // The disk has the removal of the boot entry by now: from here on its files may be missing.
      await boot.write((files) => files.remove(slot));
    },
    fill: (slot, system) =>
      boot.write((onBoot) => {
        const isOnEfi = system.files.some(({ partition }) => partition === 'EFI');
        const fill = (onEfi: PartitionFiles | undefined) =>
          fillSlot(slot, system, { form, partitions: { BOOT: onBoot, EFI: onEfi } });
        return isOnEfi ? efi.write((onEfi) => fill(onEfi)) : fill(undefined);
      }),
    async complete(slot) {
      const digests = `${slot}/${slotFiles.digests}`;
      await boot.write((files) => files.rename(temporary(digests), digests));
      const kernel = unifiedKernelOf(slot);
      // systemd-boot lists every unified kernel, so this is the last one there.
      if ((await efi.read((files) => files.sizeOf(temporary(kernel)))) > 0)
        await efi.write((files) => files.rename(temporary(kernel), kernel));
    },
    mark: (slot) => boot.write((files) => files.write(`${slot}/${slotFiles.trial}`, [])),
    unmark: (slot) => boot.write((files) => files.remove(`${slot}/${slotFiles.trial}`)),
  };
}

type Partitions = Readonly<Record<PlacedFile['partition'], PartitionFiles | undefined>>;

async function fillSlot(
  slot: Slot,
  system: NewSystem,
  { form, partitions }: { readonly form: SlotForm; readonly partitions: Partitions },
): Promise<void> {
  const { rootHash, files, read, writeMore, checkMore, checkUnifiedKernel, finish } = system;
  const boot = required(partitions, 'BOOT');
  const places = new Map(files.map((file) => [file.path, file]));
  const sink: ArtefactSink = {
    async write({ path }, content) {
      const file = places.get(path);
      if (file === undefined) throw new Fault('internal', `${path} has no place`);
      await required(partitions, file.partition).write(temporary(file.place), content, file.mode);
    },
  };
  await read(sink, ({ path }) => places.has(path));
  await writeMore?.(boot);
  for (const file of files) await compare(required(partitions, file.partition), file);
  for (const { partition, place } of files)
    if (partition === 'EFI')
      await checkUnifiedKernel?.(wholeFiles(required(partitions, 'EFI')), temporary(place));
  await checkMore?.(boot);
  await form.check(boot, slot, rootHash);
  for (const { partition, place } of files)
    if (partition === 'BOOT') await boot.rename(temporary(place), place);
  await finish?.(boot);
  await writeText(boot, `${slot}/${slotFiles.rootHash}`, `${rootHash}\n`);
  await writeText(boot, temporary(`${slot}/${slotFiles.digests}`), form.digests(slot, files));
}

async function writeText(files: PartitionFiles, path: string, text: string): Promise<void> {
  await files.write(path, [Buffer.from(text)]);
  if (Buffer.concat(await Array.fromAsync(files.read(path))).toString() !== text) throw notKept(path);
}

const notKept = (path: string) =>
  new Fault('data-loss', `the disk has not kept ${path}: it differs from what was written`);

/** The files as boot loaders read them. */
const wholeFiles = (files: PartitionFiles): BootFiles => ({
  async read(path, offset, length) {
    const pieces: Uint8Array[] = [];
    let at = 0;
    for await (const piece of files.read(path)) {
      const [from, to] = [Math.max(offset - at, 0), Math.min(offset + length - at, piece.length)];
      if (from < to) pieces.push(piece.subarray(from, to));
      at += piece.length;
      if (at >= offset + length) break;
    }
    return Buffer.concat(pieces);
  },
});

function required(partitions: Partitions, name: PlacedFile['partition']): PartitionFiles {
  const files = partitions[name];
  if (files === undefined) throw new Fault('internal', `the partition ${name} is not mounted`);
  return files;
}

/** Compares what the disk has with what was signed. */
async function compare(files: PartitionFiles, { place, sizeBytes, sha256 }: PlacedFile): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of files.read(temporary(place))) {
    hash.update(piece);
    bytes += piece.length;
  }
  if (bytes !== sizeBytes || hash.digest('hex') !== sha256) throw notKept(place);
}

/** Computes the root hash from what the disk has: the kernel would find a difference only when it runs the system. */
async function checkRoot(boot: PartitionFiles, slot: Slot, rootHash: string): Promise<void> {
  const whole = async (name: string) =>
    Buffer.concat(await Array.fromAsync(boot.read(temporary(`${slot}/${name}`))));
  const commandLine = (await whole(slotFiles.commandLine)).toString('latin1');
  if (rootHashIn(commandLine) !== rootHash)
    throw new Fault(
      'data-loss',
      'the command line of the artefact names another root hash than the artefact',
    );
  const tree = await whole(slotFiles.hashTree);
  const init = verityTreeInit(tree);
  if (init === undefined) throw new Fault('data-loss', 'the hash tree of the artefact is damaged');
  const builder = new VerityTreeBuilder(init);
  for await (const piece of boot.read(temporary(`${slot}/${slotFiles.squashfs}`))) builder.update(piece);
  const made = builder.finish();
  if (made.rootHash !== rootHash || !made.file.equals(tree))
    throw new Fault('data-loss', 'the root file system of the artefact does not have its root hash');
}

/** The list that makes the slot complete. GRUB and kexec compare the kernel and the initramfs with it. */
function digestsOf(slot: Slot, files: readonly PlacedFile[]): string {
  const listed = [slotFiles.kernel, slotFiles.initramfs].map((name) => {
    const file = files.find(({ place }) => place === `${slot}/${name}`);
    if (file === undefined) throw new Fault('failed-precondition', `the artefact has no ${name}`);
    return `${file.sha256}  ${name}\n`;
  });
  return listed.join('');
}

const machineForm: SlotForm = { check: checkRoot, digests: digestsOf };

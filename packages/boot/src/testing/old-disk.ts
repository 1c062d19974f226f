// A disk of an earlier version, as the BIOS and GRUB read it while the boot loader is replaced: what is not on the disk yet may be, or not, in
// any mixture. It follows the writes of the kernel closely enough for the order of steps to count: names, inodes and blocks are written apart.
import assert from 'node:assert/strict';
import { coreSectorOf, coreSectors, diskSectorBytes } from '../grub/core-image.ts';
import type { LoaderStep } from '../replacement/loader-step.ts';

/** A sector of the disk that is written. */
type SectorWrite = readonly [sector: number, bytes: Buffer];

/** The core image that a BIOS reads: as the boot code and the first sector say. */
export function bootedCore(disk: Buffer): Buffer {
  const first = coreSectorOf(disk);
  const head = disk.subarray(first * diskSectorBytes, (first + 1) * diskSectorBytes);
  const rest = Number(head.readBigUInt64LE(diskSectorBytes - 12));
  const bytes = (coreSectors(head) - 1) * diskSectorBytes;
  const core = Buffer.concat([head, disk.subarray(rest * diskSectorBytes, rest * diskSectorBytes + bytes)]);
  // The places differ, the program does not.
  return core.fill(0, diskSectorBytes - 12, diskSectorBytes);
}

export const sectorWrites = (step: LoaderStep): SectorWrite[] => {
  assert.ok(step.kind === 'write sectors');
  return Array.from({ length: step.bytes.length / diskSectorBytes }, (_, index) => [
    step.sector + index,
    step.bytes.subarray(index * diskSectorBytes, (index + 1) * diskSectorBytes),
  ]);
};

export function writeSector(disk: Buffer, [sector, bytes]: SectorWrite): void {
  bytes.copy(disk, sector * diskSectorBytes);
}

/** What a sector of names has: the number of the inode of each name. */
type Names = ReadonlyMap<string, number>;
type Change =
  | { readonly kind: 'names'; readonly folder: string; readonly names: Names }
  /** Undefined: the inode is free, and its name leads to nothing. */
  | { readonly kind: 'inode'; readonly inode: number; readonly content: Buffer | undefined };

/** Whether the disk has the change with this number. */
export type IsWritten = (change: number) => boolean;

/** A file system with a journal. */
export class JournaledFiles {
  readonly #folders = new Map<string, Names>();
  readonly #inodes = new Map<number, Buffer | undefined>();
  /** In the journal, and not where GRUB reads them. */
  #pending: Change[] = [];
  #next = 1;

  constructor(files: Readonly<Record<string, Buffer | string>>) {
    for (const [path, content] of Object.entries(files)) this.#write(path, Buffer.from(content));
    this.#checkpoint();
  }

  /** Carries out a step. At its end the journal has it. */
  follow(step: LoaderStep): void {
    switch (step.kind) {
      case 'write file':
        this.#write(step.path, step.bytes);
        return;
      case 'link file':
        if (this.#inodeOf(step.path) === undefined)
          this.#name({ [step.path]: this.#inodeOf(step.from) ?? assert.fail(`${step.from} is not there`) });
        return;
      case 'replace file': {
        const before = this.#inodeOf(step.path);
        this.#name({ [step.path]: this.#inodeOf(step.from), [step.from]: undefined });
        this.#release(before);
        return;
      }
      case 'empty journal':
        this.#checkpoint();
        return;
      default:
        assert.fail(`${step.kind} is not for this file system`);
    }
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  /** What GRUB reads when the power fails now, and these of the pending changes are where it reads them. */
  asGrubReads(isWritten: IsWritten): (path: string) => Buffer | undefined {
    const folders = new Map(this.#folders);
    const inodes = new Map(this.#inodes);
    for (const [index, change] of this.#pending.entries())
      if (isWritten(index)) apply(change, folders, inodes);
    return (path) => {
      const inode = folders.get(folderOf(path))?.get(path);
      return inode === undefined ? undefined : inodes.get(inode);
    };
  }

  /** What the kernel reads, which knows the journal. */
  read(path: string): Buffer | undefined {
    return this.asGrubReads(() => true)(path);
  }

  #current(): { folders: Map<string, Names>; inodes: Map<number, Buffer | undefined> } {
    const [folders, inodes] = [new Map(this.#folders), new Map(this.#inodes)];
    for (const change of this.#pending) apply(change, folders, inodes);
    return { folders, inodes };
  }

  #inodeOf(path: string): number | undefined {
    return this.#current().folders.get(folderOf(path))?.get(path);
  }

  #write(path: string, content: Buffer): void {
    const before = this.#inodeOf(path);
    const inode = this.#next++;
    this.#pending.push({ kind: 'inode', inode, content: Buffer.from(content) });
    this.#name({ [path]: inode });
    this.#release(before);
  }

  /** Names of one folder are in one sector. */
  #name(changes: Readonly<Record<string, number | undefined>>): void {
    const [folder = ''] = Object.keys(changes).map(folderOf);
    const names = new Map(this.#current().folders.get(folder));
    for (const [path, inode] of Object.entries(changes))
      if (inode === undefined) names.delete(path);
      else names.set(path, inode);
    this.#pending.push({ kind: 'names', folder, names });
  }

  /** An inode without a name is free at once. */
  #release(inode: number | undefined): void {
    if (inode === undefined) return;
    const isNamed = [...this.#current().folders.values()].some((names) =>
      [...names.values()].includes(inode),
    );
    if (!isNamed) this.#pending.push({ kind: 'inode', inode, content: undefined });
  }

  #checkpoint(): void {
    for (const change of this.#pending) apply(change, this.#folders, this.#inodes);
    this.#pending = [];
  }
}

function apply(change: Change, folders: Map<string, Names>, inodes: Map<number, Buffer | undefined>): void {
  if (change.kind === 'names') folders.set(change.folder, change.names);
  else inodes.set(change.inode, change.content);
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

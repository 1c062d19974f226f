import { Fault } from '@nodewright/fault';
import type { InstalledKernel } from '../conformance/index.ts';
import type { BootLoader, LoadedKernel } from '../loader/boot-loader.ts';
import type { BootState, System } from '../loader/boot-state.ts';
import { checkDigests, digestList } from '../slot/digest-list.ts';
import { type Slot, slots } from '../slot/slot.ts';
import { slotFiles } from '../slot/slot-files.ts';

interface SlotContent extends InstalledKernel {
  readonly digests: string;
  /** The age of the slot: a higher one is newer. */
  readonly age: number;
  readonly isComplete: boolean;
}

export interface MemoryBootLoaderInit {
  /** What the loader starts when no choice is stored: GRUB the first slot of its menu, systemd-boot the newest version. */
  readonly withoutChoice?: 'first' | 'newest';
  /** Called after each write: the power may fail then, which it says by throwing. */
  readonly onWrite?: () => void;
}

/**
 * A boot loader with its firmware and its disk in memory. It stores the default and the slot to start once apart, as variables of UEFI are, so
 * that a power cut may fall between the two.
 */
export class MemoryBootLoader implements BootLoader {
  readonly #contents = new Map<Slot, SlotContent>();
  readonly #withoutChoice: 'first' | 'newest';
  readonly #onWrite: () => void;
  #default: Slot | undefined;
  #once: Slot | undefined;
  #age = 0;

  constructor({ withoutChoice = 'first', onWrite = () => {} }: MemoryBootLoaderInit = {}) {
    this.#withoutChoice = withoutChoice;
    this.#onWrite = onWrite;
  }

  async state(): Promise<BootState> {
    return this.stateNow();
  }

  stateNow(): BootState {
    const entries = slots.flatMap((slot): System[] => {
      const content = this.#contents.get(slot);
      return content?.isComplete === true ? [{ slot, rootHash: content.rootHash }] : [];
    });
    return { entries, default: this.#default, once: this.#once };
  }

  async chooseOnce(slot: Slot): Promise<void> {
    this.#require(slot);
    this.#once = slot;
    this.#onWrite();
  }

  async confirm(slot: Slot): Promise<void> {
    this.#require(slot);
    await this.revert();
    this.#default = slot;
    this.#onWrite();
  }

  async revert(): Promise<void> {
    if (this.#once === undefined) return;
    this.#once = undefined;
    this.#onWrite();
  }

  async loadForKexec(slot: Slot): Promise<LoadedKernel> {
    const content = this.#contents.get(slot);
    if (content?.isComplete !== true) throw new Fault('not-found', `slot ${slot} has no system`);
    const { kernel, initramfs, commandLine, digests } = content;
    checkDigests(digests, { [slotFiles.kernel]: kernel, [slotFiles.initramfs]: initramfs });
    return { kernel, initramfs, commandLine };
  }

  #require(slot: Slot): void {
    if (this.#contents.get(slot)?.isComplete !== true)
      throw new Fault('failed-precondition', `slot ${slot} has no system that can be started`);
  }

  /** What the firmware would start now, and the default behind it; undefined when it would start nothing. */
  choice(): { readonly next: System | undefined; readonly byDefault: System | undefined } {
    const { entries } = this.stateNow();
    const find = (slot: Slot | undefined) => entries.find((entry) => entry.slot === slot);
    const ageOf = ({ slot }: System) => this.#contents.get(slot)?.age ?? 0;
    const ordered =
      this.#withoutChoice === 'first' ? entries : entries.toSorted((a, b) => ageOf(b) - ageOf(a));
    const byDefault = find(this.#default) ?? ordered[0];
    return { next: find(this.#once) ?? byDefault, byDefault };
  }

  /** The firmware starts a system, and has forgotten the slot to start once before. @param byHand what somebody chooses in the menu */
  start(byHand?: Slot): System | undefined {
    const { next } = this.choice();
    this.#once = undefined;
    return this.stateNow().entries.find(({ slot }) => slot === byHand) ?? next;
  }

  emptySlot(slot: Slot): void {
    const content = this.#contents.get(slot);
    if (content === undefined) return;
    this.#contents.set(slot, { ...content, isComplete: false });
    this.#onWrite();
    this.#contents.delete(slot);
    this.#onWrite();
  }

  fillSlot(slot: Slot, { kernel, initramfs, ...rest }: InstalledKernel): void {
    this.#age += 1;
    const digests = digestList({ [slotFiles.kernel]: kernel, [slotFiles.initramfs]: initramfs });
    this.#contents.set(slot, { kernel, initramfs, ...rest, digests, age: this.#age, isComplete: false });
    this.#onWrite();
  }

  completeSlot(slot: Slot): void {
    const content = this.#contents.get(slot);
    if (content === undefined) throw new Error(`slot ${slot} was not filled`);
    this.#contents.set(slot, { ...content, isComplete: true });
    this.#onWrite();
  }

  /** The files stay, and are no boot entry any more. */
  spoilSlot(slot: Slot): void {
    const content = this.#contents.get(slot);
    if (content !== undefined) this.#contents.set(slot, { ...content, isComplete: false });
  }

  /** A text that changes with every byte of the slots. */
  contents(): string {
    return JSON.stringify([...this.#contents]);
  }

  /** A byte of the kernel changes. */
  damageKernel(slot: Slot): void {
    const content = this.#contents.get(slot);
    if (content === undefined) return;
    const kernel = Buffer.from(content.kernel);
    kernel.writeUInt8(kernel.readUInt8(0) ^ 1, 0);
    this.#contents.set(slot, { ...content, kernel });
  }

  /** The stored choice is damaged. */
  loseChoice(): void {
    this.#default = undefined;
    this.#once = undefined;
  }
}

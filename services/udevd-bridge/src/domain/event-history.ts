import type { DeviceEvent, GapReason } from './device-event.ts';

/** An event, or a place where the kernel has dropped some, with its number. */
export interface HistoryEntry {
  /** From 1. */
  readonly sequence: number;
  /** Undefined: the kernel has dropped events here. */
  readonly event: DeviceEvent | undefined;
}

/** What a consumer gets next. */
export interface HistoryBatch {
  readonly events: readonly { readonly sequence: number; readonly event: DeviceEvent }[];
  /** Why events before `events` are missing. */
  readonly gap: GapReason | undefined;
  /** The last entry that the batch covers: the next batch begins after it. */
  readonly through: number;
}

export interface HistoryLimits {
  readonly historyEvents: number;
  readonly historyBytes: number;
  readonly responseEvents: number;
  readonly responseBytes: number;
}

/** What an event takes besides its properties, in bytes: measured, rounded up. */
const eventOverheadBytes = 256;

const sizeOf = ({ event }: HistoryEntry) => eventOverheadBytes + (event?.properties.length ?? 0);

/**
 * The last events, numbered in the order of their arrival. All consumers share it: each has only a position, so a consumer
 * that reads slowly takes no memory and delays no other one.
 */
export class EventHistory {
  readonly #limits: HistoryLimits;
  readonly #entries: HistoryEntry[] = [];
  /** Entries before this index were dropped. They are removed from the array in large steps, because each step moves all others. */
  #first = 0;
  #bytes = 0;
  #last = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Number of the last entry; 0 without any. */
  get last(): number {
    return this.#last;
  }

  /** Number of entries that are kept. */
  get length(): number {
    return this.#entries.length - this.#first;
  }

  /** What the entries take, in bytes, as far as the limit counts it. */
  get sizeBytes(): number {
    return this.#bytes;
  }

  append(event: DeviceEvent): void {
    this.#add(event);
  }

  /** Marks that the kernel has dropped events. Marks that follow one another count as one. */
  appendLoss(): void {
    if (this.length > 0 && this.#entries.at(-1)?.event === undefined) return;
    this.#add(undefined);
  }

  /**
   * The entries after a number, of which those that `wants` accepts are in the batch.
   *
   * @param after at most `last`
   */
  read(after: number, wants: (event: DeviceEvent) => boolean): HistoryBatch {
    const oldest = this.#last - this.length + 1;
    const from = Math.max(after + 1, oldest);
    let gap: GapReason | undefined = from > after + 1 ? 'history-too-short' : undefined;
    const events: { sequence: number; event: DeviceEvent }[] = [];
    let through = from - 1;
    let bytes = 0;
    for (let index = this.#first + (from - oldest); index < this.#entries.length; index += 1) {
      const entry = this.#entries[index] as HistoryEntry;
      const { sequence, event } = entry;
      if (event === undefined) {
        // The consumer reads the inventory again after a gap, so one that is not the first thing in a batch ends it.
        if (events.length > 0) break;
        gap ??= 'kernel-dropped';
      } else if (wants(event)) {
        if (events.length === this.#limits.responseEvents) break;
        if (events.length > 0 && bytes + sizeOf(entry) > this.#limits.responseBytes) break;
        bytes += sizeOf(entry);
        events.push({ sequence, event });
      }
      through = sequence;
    }
    return { events, gap, through };
  }

  #add(event: DeviceEvent | undefined): void {
    this.#last += 1;
    const entry = { sequence: this.#last, event };
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry);
    while (this.length > this.#limits.historyEvents || this.#bytes > this.#limits.historyBytes)
      this.#dropOldest();
  }

  #dropOldest(): void {
    this.#bytes -= sizeOf(this.#entries[this.#first] as HistoryEntry);
    // Releases the event at once.
    this.#entries[this.#first] = { sequence: 0, event: undefined };
    this.#first += 1;
    if (this.#first * 2 <= this.#entries.length) return;
    this.#entries.splice(0, this.#first);
    this.#first = 0;
  }
}

/** A point in the history of one run of the daemon. */
export interface HistoryPosition {
  readonly history: string;
  readonly sequence: number;
}

/** Where a consumer continues. */
export interface Resumption {
  /** It gets the entries after this number. */
  readonly after: number;
  /** Why it has to read the inventory first. */
  readonly gap: GapReason | undefined;
}

/**
 * Decides where a consumer continues that has all events until `position`. A position in the future is one of another
 * history, whatever it says.
 *
 * @param current the end of the history
 */
export function resume(position: HistoryPosition | undefined, current: HistoryPosition): Resumption {
  if (position === undefined) return { after: current.sequence, gap: undefined };
  const isKnown = position.history === current.history && position.sequence <= current.sequence;
  return isKnown
    ? { after: position.sequence, gap: undefined }
    : { after: current.sequence, gap: 'other-history' };
}

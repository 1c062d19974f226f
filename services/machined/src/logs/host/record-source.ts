/** A record that is ready to be sent. */
export interface PendingRecord {
  /** The record, without a line break. */
  readonly text: string;
  /** Must be called when a destination has received the record: later sources start after it. */
  delivered(): void;
}

/** The records for one destination, in order. */
export interface RecordSource extends Disposable {
  /** Returns the next record; `undefined` when there is none yet. */
  next(): PendingRecord | undefined;
  /** Returns the incomplete record at the end, when no more bytes will be written. */
  last(): PendingRecord | undefined;
  /** Resolves when there may be more records, or when `signal` aborts. */
  wait(signal: AbortSignal): Promise<void>;
}

/** A record that waits to be sent. */
export interface PendingRecord {
  /** Without a line break. */
  readonly text: string;
  /** To be called when a destination has it: whoever comes later begins after it. */
  delivered(): void;
}

/** Records for one destination, in their order. */
export interface RecordSource extends Disposable {
  /** The next record; undefined when there is none yet. */
  next(): PendingRecord | undefined;
  /** What is left when nothing more will come. */
  last(): PendingRecord | undefined;
  /** Resolves when there may be more, or when `signal` aborts. */
  wait(signal: AbortSignal): Promise<void>;
}

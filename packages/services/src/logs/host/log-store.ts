import { ChangeSignal } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { LogReader } from '../domain/log-reader.ts';
import { LogRing } from '../domain/log-ring.ts';

/** The size of a log in memory. Source: Talos v1.14: log storage. */
const ringBytes = 1024 * 1024;

export interface OpenLogOptions {
  /** Neither copied to disk nor sent to destinations. Default: false. */
  readonly isInMemoryOnly?: boolean;
}

/** The log of one service, in memory. */
export class ServiceLog {
  readonly id: string;
  readonly isInMemoryOnly: boolean;
  readonly ring = new LogRing(ringBytes);
  readonly #written = new ChangeSignal();
  readonly #writeListeners = new Set<() => void>();

  constructor(id: string, { isInMemoryOnly = false }: OpenLogOptions = {}) {
    this.id = id;
    this.isInMemoryOnly = isInMemoryOnly;
  }

  write(bytes: Uint8Array | string): void {
    this.ring.append(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    this.#written.notify();
    for (const listener of this.#writeListeners) listener();
  }

  /** Calls `listener` after every write, until the result is disposed. */
  onWrite(listener: () => void): Disposable {
    this.#writeListeners.add(listener);
    return { [Symbol.dispose]: () => this.#writeListeners.delete(listener) };
  }

  /** Resolves at the next write, or when `signal` aborts. */
  nextWrite(signal: AbortSignal): Promise<void> {
    return this.#written.next(signal);
  }

  /** Returns the last bytes. */
  lastBytes(limitBytes: number): Buffer {
    return this.bytesSince(0, limitBytes);
  }

  /**
   * Returns the last bytes that were written after this offset, which messages about the end of a process quote.
   *
   * @param startOffset where the output of the process begins: those of an earlier one say nothing about its end
   */
  bytesSince(startOffset: number, limitBytes: number): Buffer {
    return this.ring.read(Math.max(startOffset, this.ring.endOffset - limitBytes), limitBytes).bytes;
  }
}

export interface ReadLogOptions {
  readonly id: string;
  /** Whether to continue with later writes until `signal` aborts. */
  readonly follow: boolean;
  /** The number of lines to start with: 0 for none, a negative number for all in memory. */
  readonly tailLines: number;
  readonly signal: AbortSignal;
}

/** The logs of this node's own daemons. A log is created when it is opened for the first time. */
export class LogStore {
  readonly #logs = new Map<string, ServiceLog>();
  readonly #openListeners = new Set<(log: ServiceLog) => void>();

  /** Opens the log `id`, and creates it with these options if there is none. */
  open(id: string, options?: OpenLogOptions): ServiceLog {
    let log = this.#logs.get(id);
    if (log === undefined) {
      log = new ServiceLog(id, options);
      this.#logs.set(id, log);
      for (const listener of this.#openListeners) listener(log);
    }
    return log;
  }

  /** The ids of all logs, sorted. */
  get ids(): string[] {
    return [...this.#logs.keys()].sort();
  }

  /**
   * Calls `listener` for every open log and for every log that is opened later, until the result is disposed; not for
   * those that are in memory only.
   */
  onOpen(listener: (log: ServiceLog) => void): Disposable {
    const take = (log: ServiceLog) => {
      if (!log.isInMemoryOnly) listener(log);
    };
    this.#openListeners.add(take);
    for (const log of this.#logs.values()) take(log);
    return { [Symbol.dispose]: () => this.#openListeners.delete(take) };
  }

  /**
   * Reads a log in pieces of up to `chunkBytes`. A reader never blocks the writer. A reader that is so slow
   * that its next bytes are overwritten gets a line with the number of missed bytes, and continues with the
   * oldest line in memory. Without `follow`, reading ends at the size that the log had at the first read.
   *
   * @throws Fault `unknown` for a log that was never opened. Source: Talos v1.14: Logs.
   */
  async *read({ id, follow, tailLines, signal }: ReadLogOptions, chunkBytes: number): AsyncGenerator<Buffer> {
    const log = this.#logs.get(id);
    if (log === undefined) throw new Fault('unknown', `log "${id}" was not registered`);

    const lastOffset = follow ? Number.POSITIVE_INFINITY : log.ring.endOffset;
    const reader = new LogReader(log.ring, log.ring.offsetOfLastLines(tailLines));
    while (!signal.aborted) {
      const bytes = reader.read(chunkBytes, lastOffset);
      if (bytes.length > 0) yield bytes;
      else if (follow) await log.nextWrite(signal);
      else return;
    }
  }
}

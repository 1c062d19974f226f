import { ChangeSignal } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { LogReader } from '../domain/log-reader.ts';
import { LogRing } from '../domain/log-ring.ts';

/** Source: Talos v1.14: log storage. */
const ringBytes = 1024 * 1024;

/** One service's log, in memory. */
export class ServiceLog {
  readonly id: string;
  readonly ring = new LogRing(ringBytes);
  readonly #written = new ChangeSignal();
  readonly #writeListeners = new Set<() => void>();

  constructor(id: string) {
    this.id = id;
  }

  write(bytes: Uint8Array | string): void {
    this.ring.append(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    this.#written.notify();
    for (const listener of this.#writeListeners) listener();
  }

  /** Calls `listener` after every write, until it is disposed. */
  onWrite(listener: () => void): Disposable {
    this.#writeListeners.add(listener);
    return { [Symbol.dispose]: () => this.#writeListeners.delete(listener) };
  }

  /** Resolves at the next write, or when `signal` aborts. */
  nextWrite(signal: AbortSignal): Promise<void> {
    return this.#written.next(signal);
  }

  /** The last bytes, for the text that says why a process ended. */
  lastBytes(limitBytes: number): Buffer {
    return this.ring.read(Math.max(0, this.ring.endOffset - limitBytes), limitBytes).bytes;
  }
}

export interface ReadLogOptions {
  readonly id: string;
  /** Go on with what is written later, until `signal` aborts. */
  readonly follow: boolean;
  /** Lines of history: 0 is none, a negative number all that is kept. */
  readonly tailLines: number;
  readonly signal: AbortSignal;
}

/** The logs of this node's own daemons. A log exists from its first use. */
export class LogStore {
  readonly #logs = new Map<string, ServiceLog>();
  readonly #openListeners = new Set<(log: ServiceLog) => void>();

  /** The log `id`, made when it is not there yet. */
  open(id: string): ServiceLog {
    let log = this.#logs.get(id);
    if (log === undefined) {
      log = new ServiceLog(id);
      this.#logs.set(id, log);
      for (const listener of this.#openListeners) listener(log);
    }
    return log;
  }

  /** The ids of all logs, sorted. */
  get ids(): string[] {
    return [...this.#logs.keys()].sort();
  }

  /** Calls `listener` with every log, until it is disposed: those that are open now and those that will be. */
  onOpen(listener: (log: ServiceLog) => void): Disposable {
    this.#openListeners.add(listener);
    for (const log of this.#logs.values()) listener(log);
    return { [Symbol.dispose]: () => this.#openListeners.delete(listener) };
  }

  /**
   * The bytes of a log in pieces of up to `chunkBytes`. Nobody holds up the writer: a reader that is so slow that its
   * next bytes are overwritten goes on with the oldest line that is kept, after a line that says how much it has
   * missed. Without `follow` it ends at the size that the log had at the first read.
   *
   * @throws Fault `unknown` for an id that nobody has written under. Source: Talos v1.14: Logs.
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

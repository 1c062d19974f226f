import { anySignal, longestTimerMs, unlessAborted } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';

/**
 * The time that a user gives a command. It begins with the command, so that it also ends what the command asks before its own
 * calls, and it stops while a question waits for the user.
 */
export class CommandLimit implements Disposable {
  /** Aborts when the time is over, and when the command is interrupted. */
  readonly signal: AbortSignal;
  readonly #limitMs: number;
  readonly #over = new AbortController();
  #restMs: number;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param interrupt aborts when the user interrupts the command */
  constructor(nanos: bigint, interrupt: AbortSignal) {
    this.#limitMs = Number(nanos / 1_000_000n);
    this.#restMs = this.#limitMs;
    this.signal = anySignal(interrupt, this.#over.signal);
    this.#start();
  }

  /** True when the time is over. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** How much of the time is over, in milliseconds. */
  get spentMs(): number {
    const runningMs = this.#timer === undefined ? 0 : performance.now() - this.#startedMs;
    return this.#limitMs - this.#restMs + runningMs;
  }

  /** The limit as a text, such as `5 s`. */
  get text(): string {
    return `${this.#limitMs / 1000} s`;
  }

  /**
   * Waits for calls that got the signal.
   *
   * @throws Fault `deadline-exceeded` when the time is over before they have ended; what they throw otherwise
   */
  async guard<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await unlessAborted(work, this.signal);
      // What was asked may do without an answer that did not come.
      if (this.isOver) throw this.fault;
      return result;
    } catch (error) {
      throw this.isOver ? this.fault : faultFrom(error);
    }
  }

  /** Waits for the user, whose time does not count. */
  async whileStopped<T>(question: () => Promise<T>): Promise<T> {
    this.#stop();
    try {
      return await question();
    } finally {
      this.#start();
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  get fault(): Fault {
    return new Fault('deadline-exceeded', `no answer within ${this.text}`);
  }

  #start(): void {
    this.#startedMs = performance.now();
    this.#timer = setTimeout(() => this.#over.abort(), Math.min(Math.max(this.#restMs, 0), longestTimerMs));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#restMs -= performance.now() - this.#startedMs;
  }
}

import type { ServerMessage } from '../../protocol/messages.ts';
import { keyOf, type PageSubscription } from '../../protocol/subscription.ts';

/** The state of the connection to the program. */
export type LinkState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open' }
  | { readonly kind: 'broken'; readonly message: string }
  /** The program has ended or does not know this page any more: only a new link helps. */
  | { readonly kind: 'ended'; readonly message: string };

export interface LinkInit {
  readonly secret: string;
  readonly onState: (state: LinkState) => void;
  readonly onMessages: (messages: readonly ServerMessage[]) => void;
  /** The server follows these now, and nothing else. */
  readonly onFollowed: (subscriptions: readonly PageSubscription[]) => void;
}

/** The server sends a line at least every ten seconds. */
const silentMs = 35_000;
/** Before a request, for further changes of the same moment. */
const gatherMs = 20;
/** After a request that failed. */
const failedMs = 1000;
const firstRetryMs = 500;
const longestRetryMs = 10_000;

/** The connection to the program: one stream of lines, which is opened again when it breaks. */
export class Link {
  readonly #init: LinkInit;
  #wanted: readonly PageSubscription[] = [];
  #isOpen = false;
  /** Whether the server does not know the newest list yet. */
  #isOutdated = false;
  #sending: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(init: LinkInit) {
    this.#init = init;
    void this.#run();
  }

  /** Ends the connection, without another word to the page. */
  close(): void {
    this.#isOpen = false;
    this.#stop.abort();
  }

  /** Replaces what the page follows. */
  want(subscriptions: readonly PageSubscription[]): void {
    const keys = subscriptions.map(keyOf).join('\n');
    if (keys === this.#wanted.map(keyOf).join('\n')) return;
    this.#wanted = subscriptions;
    if (this.#isOpen) this.#sendSoon();
  }

  /**
   * Requests of one moment are sent as one, and one after the other: each replaces the one before it, so their order counts. One
   * that fails is sent again.
   */
  #sendSoon(): void {
    this.#isOutdated = true;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      // The list may have changed after the last look at it.
      if (this.#isOutdated && this.#isOpen) this.#sendSoon();
    });
  }

  async #send(): Promise<void> {
    await pause(gatherMs);
    while (this.#isOutdated && this.#isOpen) {
      this.#isOutdated = false;
      const wanted = this.#wanted;
      const response = await fetch('/api/subscriptions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-page-secret': this.#init.secret },
        body: JSON.stringify(wanted),
      }).catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      if (response?.ok) {
        this.#init.onFollowed(wanted);
        continue;
      }
      this.#isOutdated = true;
      await pause(failedMs);
    }
  }

  async #run(): Promise<void> {
    const { secret, onState } = this.#init;
    let retryMs = firstRetryMs;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      onState({ kind: 'opening' });
      const silence = new Silence(silentMs);
      let message = 'the connection to the program has ended';
      try {
        const response = await fetch('/api/stream', {
          headers: { 'x-page-secret': secret },
          signal: AbortSignal.any([silence.signal, signal]),
        });
        if (signal.aborted) return silence.end();
        if (!response.ok || response.body === null) {
          const { error = `status ${response.status}` } = (await response.json()) as { error?: string };
          if (response.status === 401) return onState({ kind: 'ended', message: error });
          throw new Error(error);
        }
        this.#isOpen = true;
        onState({ kind: 'open' });
        this.#sendSoon();
        retryMs = firstRetryMs;
        await this.#read(response.body, silence);
      } catch (error) {
        message = silence.signal.aborted
          ? 'the program does not answer'
          : error instanceof TypeError
            ? 'the program cannot be reached: it has ended, or the port is no longer forwarded'
            : (error as Error).message;
      }
      silence.end();
      if (signal.aborted) return;
      this.#isOpen = false;
      onState({ kind: 'broken', message });
      await pause(retryMs);
      retryMs = Math.min(longestRetryMs, retryMs * 2);
    }
  }

  async #read(body: ReadableStream<Uint8Array>, silence: Silence): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    const reader = body.getReader();
    for (;;) {
      const { value: chunk, done } = await reader.read();
      if (done) return;
      silence.restart();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      this.#init.onMessages(lines.map((line) => JSON.parse(line) as ServerMessage));
    }
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Aborts when nothing has arrived for some time. */
class Silence {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: number;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): number {
    return window.setTimeout(() => this.#controller.abort(), this.#ms);
  }
}

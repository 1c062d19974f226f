import type { ServerResponse } from 'node:http';
import type { Limits } from '../domain/limits.ts';
import { safeJson } from '../domain/safe-json.ts';
import type { ServerMessage } from '../protocol/messages.ts';

/** The stream of one page: a line of JSON for each message. It closes when the page reads too slowly. */
export class PageStream {
  readonly #response: ServerResponse;
  readonly #unreadBytes: number;
  readonly #ticks: NodeJS.Timeout;

  constructor(response: ServerResponse, now: () => number, limits: Limits) {
    this.#response = response;
    this.#unreadBytes = limits.unreadBytes;
    this.#ticks = setInterval(() => this.send({ kind: 'tick', nowMs: now() }), limits.tickMs);
    response.once('close', () => clearInterval(this.#ticks));
    response.flushHeaders();
    this.send({ kind: 'tick', nowMs: now() });
  }

  get isClosed(): boolean {
    return this.#response.destroyed;
  }

  send(message: ServerMessage): void {
    this.sendText(`${safeJson(message)}\n`);
  }

  /** Sends a message that was encoded for several pages. */
  sendText(line: string): void {
    if (this.#response.destroyed) return;
    if (this.#response.writableLength > this.#unreadBytes) {
      this.#response.destroy();
      return;
    }
    this.#response.write(line);
  }

  close(): void {
    this.#response.destroy();
  }
}

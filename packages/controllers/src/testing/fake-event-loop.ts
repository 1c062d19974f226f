import type { EventLoop } from '../turn-share.ts';

/** An event loop whose time and turns the test controls. */
export class FakeEventLoop implements EventLoop {
  #nowMs = 0;
  #next: (() => void)[] = [];

  now(): number {
    return this.#nowMs;
  }

  nextTurn(action: () => void): void {
    this.#next.push(action);
  }

  /** Advances the time within this turn. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }

  /** Begins the next turn. False: nothing was scheduled for it. */
  turn(): boolean {
    const due = this.#next;
    this.#next = [];
    for (const action of due) action();
    return due.length > 0;
  }
}

import type { EventLoop } from '../turn-share.ts';

/** An event loop whose time and turns are the test's. */
export class FakeEventLoop implements EventLoop {
  #nowMs = 0;
  #next: (() => void)[] = [];

  now(): number {
    return this.#nowMs;
  }

  nextTurn(action: () => void): void {
    this.#next.push(action);
  }

  /** Lets so much time go by in this turn. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }

  /** Begins the next turn. False: nothing was to run in it. */
  turn(): boolean {
    const due = this.#next;
    this.#next = [];
    for (const action of due) action();
    return due.length > 0;
  }
}

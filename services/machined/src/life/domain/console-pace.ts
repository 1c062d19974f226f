// How often the consoles show the state of a machine. A screen holds 25 lines, and a service that crashes in a loop changes
// what the machine waits for every few seconds, for weeks.

export interface ConsoleBlock {
  /** Who the machine is, where it is reached, and its stage. It differs only when the text differs. */
  readonly heading: string;
  readonly text: string;
}

/** What the consoles show. Times are of a clock that only goes forward, in ms. */
export interface ConsolePace {
  readonly shown: ConsoleBlock;
  readonly shownAtMs: number;
  /** How long it stays before a block with the same heading follows. */
  readonly pauseMs: number;
  /** The last text, whether it was shown or not, and since when the machine has had it. */
  readonly lastText: string;
  readonly changedAtMs: number;
}

/** Services change many times while a machine starts. */
const leastPauseMs = 5000;
const mostPauseMs = 300_000;

/** Before the first block. */
export const initialPace: ConsolePace = {
  shown: { heading: '', text: '' },
  shownAtMs: Number.NEGATIVE_INFINITY,
  pauseMs: leastPauseMs,
  lastText: '',
  changedAtMs: Number.NEGATIVE_INFINITY,
};

export interface PacedBlock {
  readonly pace: ConsolePace;
  /** 0: show the block now; more: not before so many ms; undefined: it is shown already. */
  readonly waitMs: number | undefined;
}

/**
 * When to show a block. One with another heading follows five seconds after the last one. The pause before others doubles
 * with each, up to five minutes, and is five seconds again when nothing has changed for five minutes.
 */
export function paceBlock(before: ConsolePace, block: ConsoleBlock, nowMs: number): PacedBlock {
  const isChange = block.text !== before.lastText;
  const wasQuiet = nowMs - before.changedAtMs >= mostPauseMs;
  const hasOtherHeading = block.heading !== before.shown.heading;
  const pauseMs = hasOtherHeading || (isChange && wasQuiet) ? leastPauseMs : before.pauseMs;
  const changedAtMs = isChange ? nowMs : before.changedAtMs;
  const pace = { ...before, pauseMs, changedAtMs, lastText: block.text };
  if (block.text === before.shown.text) return { pace, waitMs: undefined };
  const leftMs = before.shownAtMs + pauseMs - nowMs;
  if (leftMs > 0) return { pace, waitMs: leftMs };
  const nextPauseMs = hasOtherHeading ? leastPauseMs : Math.min(2 * pauseMs, mostPauseMs);
  return { pace: { ...pace, shown: block, shownAtMs: nowMs, pauseMs: nextPauseMs }, waitMs: 0 };
}

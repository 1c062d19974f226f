import type { LogLevel, LogLine } from '../../protocol/messages.ts';

/** A line of one log among those of others. */
export interface MergedLine {
  /** Distinguishes lines; later arrivals have greater numbers. */
  readonly at: number;
  readonly atMs: number;
  readonly node: string;
  readonly log: string;
  readonly level: LogLevel;
  readonly text: string;
  readonly trace?: string | undefined;
}

const mostLines = 20_000;

/** The lines of several logs, ordered by time. */
export class MergedLog {
  #lines: MergedLine[] = [];
  #pending: MergedLine[] = [];
  #count = 0;
  /** Time of the last line of each log, for lines that have none. */
  readonly #lastMs = new Map<string, number>();

  /** The lines so far. The array is replaced when lines are added. */
  get lines(): readonly MergedLine[] {
    if (this.#pending.length > 0) this.#merge();
    return this.#lines;
  }

  /** How many lines have arrived. */
  get count(): number {
    return this.#count;
  }

  /** How many lines about the requests of this program were left out. */
  ownCount = 0;

  add(node: string, log: string, lines: readonly LogLine[], nowMs: number): void {
    const key = `${node} ${log}`;
    let lastMs = this.#lastMs.get(key);
    for (const { atMs, level, text, trace } of lines) {
      lastMs = atMs ?? lastMs ?? nowMs;
      this.#count += 1;
      this.#pending.push({ at: this.#count, atMs: lastMs, node, log, level, text, trace });
    }
    if (lastMs !== undefined) this.#lastMs.set(key, lastMs);
  }

  /** Drops the lines of a log, which begins again or is no longer shown. */
  drop(node: string, log: string): void {
    const isOther = (line: MergedLine) => line.node !== node || line.log !== log;
    this.#lines = this.lines.filter(isOther);
    this.#lastMs.delete(`${node} ${log}`);
  }

  /** Most lines are newer than all others, so only the end of the list is merged. */
  #merge(): void {
    const added = this.#pending.sort(byTime);
    this.#pending = [];
    const firstMs = added[0]?.atMs ?? 0;
    let from = this.#lines.length;
    while (from > 0 && (this.#lines[from - 1]?.atMs ?? 0) > firstMs) from -= 1;
    const tail = from === this.#lines.length ? added : [...this.#lines.slice(from), ...added].sort(byTime);
    this.#lines = [...this.#lines.slice(0, from), ...tail].slice(-mostLines);
  }
}

const byTime = (a: MergedLine, b: MergedLine) => a.atMs - b.atMs || a.at - b.at;

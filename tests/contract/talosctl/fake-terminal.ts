// An in-memory terminal for programs that run in this process; it keeps what they draw.
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

const controlSequence = '\u001b[';
const enter = '\u001b[?1049h';
const leave = '\u001b[?1049l';

/** What the user of the terminal sees and types. */
export class FakeTerminal {
  readonly input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => {
      this.isRaw = isRaw;
    },
  });
  readonly output: EventEmitter & {
    columns: number;
    rows: number;
    write(text: string): boolean;
    isTTY: boolean;
  };
  isRaw = false;
  /** Whether the alternate screen is shown. */
  isAlternate = false;
  #rows: string[] = [];
  #at = 0;

  constructor(columns = 80, rows = 24) {
    this.output = Object.assign(new EventEmitter(), {
      ...{ columns, rows, isTTY: true },
      write: (text: string) => {
        this.#draw(text);
        return true;
      },
    });
  }

  get screen(): string {
    return this.#rows.map((row = '') => row.trimEnd()).join('\n');
  }

  type(text: string): void {
    this.input.write(text);
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.output, { columns, rows });
    this.output.emit('resize');
  }

  #draw(text: string): void {
    if (text.includes(enter)) this.isAlternate = true;
    if (text.includes(leave)) this.isAlternate = false;
    if (text.includes('\u001b[2J')) this.#rows = [];
    for (const part of text.split(controlSequence)) {
      const [, row, column, shown = ''] = /^(?:(\d+);(\d+)H|[\d;?]*[A-Za-z])(.*)$/s.exec(part) ?? [];
      if (row !== undefined) {
        this.#at = Number(row) - 1;
        this.#rows[this.#at] = (this.#rows[this.#at] ?? '').slice(0, Number(column) - 1);
      }
      this.#rows[this.#at] = (this.#rows[this.#at] ?? '') + shown;
    }
  }
}

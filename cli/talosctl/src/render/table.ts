import type { OutputStream } from '../context/command-module.ts';
import { escapeLine } from '../output/escape-text.ts';
import { textWidth } from '../output/terminal-text.ts';
import { printableCell } from './printable.ts';

const padding = 3;

const characters = (cell: string): number => [...cell].length;

/**
 * Lays out rows as Go's text/tabwriter does with a padding of three spaces: a column is as wide as its widest
 * cell among neighbouring rows that have that column; the last cell of a row belongs to no column and is not
 * padded.
 *
 * @param isTerminal whether to escape control characters and to measure cells as a terminal shows them
 */
export function formatTable(rows: readonly (readonly string[])[], isTerminal = false): string[] {
  const cells = rows.map((row) => row.map(isTerminal ? escapeLine : printableCell));
  const width = isTerminal ? textWidth : characters;
  const lines = cells.map(() => '');
  const widths: number[][] = cells.map(() => []);

  const layOut = (from: number, to: number, column: number): void => {
    let start = from;
    while (start < to) {
      if ((cells[start] as string[]).length - 1 <= column) {
        start += 1;
        continue;
      }
      let end = start;
      let widest = 0;
      for (; end < to && (cells[end] as string[]).length - 1 > column; end += 1) {
        widest = Math.max(widest, width((cells[end] as string[])[column] as string));
      }
      for (let row = start; row < end; row += 1) (widths[row] as number[])[column] = widest + padding;
      layOut(start, end, column + 1);
      start = end;
    }
  };
  layOut(0, cells.length, 0);

  return lines.map((_, row) =>
    (cells[row] as string[])
      .map((cell, column) => {
        const columnWidth = (widths[row] as number[])[column];
        return columnWidth === undefined ? cell : cell + ' '.repeat(columnWidth - width(cell));
      })
      .join(''),
  );
}

export interface TableOptions {
  readonly header: readonly string[];
  /** Whether to print the header without any row. */
  readonly headerWithoutRows: boolean;
}

/**
 * A table that is written in blocks. Rows are buffered until `flush`, and each block has its own column
 * widths, so that a slow node does not delay the rows of the others. The first block prints the header.
 */
export class Table {
  readonly #output: OutputStream;
  readonly #headerWithoutRows: boolean;
  #pending: (readonly string[])[];
  #isEmpty = true;

  constructor(output: OutputStream, { header, headerWithoutRows }: TableOptions) {
    this.#output = output;
    this.#headerWithoutRows = headerWithoutRows;
    this.#pending = [header];
  }

  add(row: readonly string[]): void {
    this.#pending.push(row);
    this.#isEmpty = false;
  }

  /** Writes the buffered rows, if there are any. */
  flush(): void {
    if (this.#isEmpty || this.#pending.length === 0) return;
    this.#write();
  }

  /** Writes the remaining rows. */
  end(): void {
    if (this.#pending.length > 0 && (!this.#isEmpty || this.#headerWithoutRows)) this.#write();
  }

  #write(): void {
    this.#output.write(`${formatTable(this.#pending, this.#output.isTTY).join('\n')}\n`);
    this.#pending = [];
  }
}

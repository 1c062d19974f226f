import type { OutputStream } from '../context/command-module.ts';
import { ownLines, ownText, writeOwn } from '../context/own-text.ts';
import { escapeLine } from '../output/escape-text.ts';
import { cutText, padText, textWidth } from '../output/terminal-text.ts';
import { printableCell } from '../render/printable.ts';

const barWidth = 24;
const redrawMs = 100;

interface NodeProgress {
  done: number;
  total: number;
  what: string;
}

/**
 * On a terminal one progress bar per node, redrawn in place; otherwise one line when a node is done.
 * Disposing of it leaves the last bars on the screen.
 */
export class SupportProgress implements Disposable {
  readonly #output: OutputStream;
  readonly #nodes: Map<string, NodeProgress>;
  readonly #timer: NodeJS.Timeout | undefined;
  #lines = 0;

  constructor(output: OutputStream, nodes: readonly string[]) {
    this.#output = output;
    this.#nodes = new Map(nodes.map((node) => [node, { done: 0, total: 0, what: 'waiting' }]));
    if (output.isTTY) this.#timer = setInterval(() => this.#draw(), redrawMs).unref();
  }

  step(node: string, done: number, total: number, what: string): void {
    this.#nodes.set(node, { done, total, what });
  }

  end(node: string, what: string): void {
    const { total } = this.#nodes.get(node) ?? { total: 0 };
    this.#nodes.set(node, { done: total, total, what });
    if (!this.#output.isTTY) this.#output.write(`${printableCell(node)}: ${what}\n`);
  }

  #draw(): void {
    const { columns = 80, rows = 24 } = this.#output as { readonly columns?: number; readonly rows?: number };
    const nameWidth = Math.min(
      24,
      Math.max(...[...this.#nodes.keys()].map((node) => textWidth(escapeLine(node)))),
    );
    const all = [...this.#nodes];
    // Lines that have scrolled away cannot be redrawn: of many nodes, only unfinished ones are drawn.
    const room = Math.max(1, (rows || 24) - 2);
    const chosen =
      all.length <= room ? all : all.filter(([, { done, total }]) => total === 0 || done < total);
    const lines = chosen
      .slice(0, room)
      .map(([node, progress]) =>
        cutText(progressLine(padText(escapeLine(node), nameWidth), progress), (columns || 80) - 1),
      );
    const height = Math.max(lines.length, this.#lines);
    const padded = Array.from({ length: height }, (_, at) => lines[at] ?? '');
    const up = this.#lines === 0 ? ownText`` : ownText`\u001b[${String(this.#lines)}A`;
    const drawn = ownLines(padded.map((line) => ownText`\r\u001b[K${line}`));
    writeOwn(this.#output, ownText`${up}${drawn}`);
    this.#lines = height;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#output.isTTY) this.#draw();
  }
}

function progressLine(node: string, { done, total, what }: NodeProgress): string {
  const filled = total === 0 ? 0 : Math.floor((barWidth * done) / total);
  const bar = `${'='.repeat(filled)}${' '.repeat(barWidth - filled)}`;
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  return escapeLine(`${node} [${bar}] ${String(percent).padStart(3)}% ${what}`);
}

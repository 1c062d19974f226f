import type { OutputStream } from '../context/command-module.ts';
import { type OwnText, ownLines, ownText, writeOwn } from '../context/own-text.ts';
import { escapeLine } from '../output/escape-text.ts';
import { printableCell } from '../render/printable.ts';

export type ActionState = 'running' | 'failed' | 'done';

/** Shows the progress of each node. */
export interface ActionDisplay extends Disposable {
  update(node: string, message: string, state?: ActionState): void;
}

/**
 * Prints one line per update. It is for logs, and for more nodes than fit on a terminal.
 * Source: Talos v1.14: action tracking, output.
 */
export function createLineDisplay(output: OutputStream): ActionDisplay {
  return {
    update(node, message, state) {
      // The command prints it as its error.
      if (state === 'failed') return;
      const text = output.isTTY ? escapeLine(message) : printableCell(message);
      output.write(`${JSON.stringify(node)}: ${text}\n`);
    },
    [Symbol.dispose]() {},
  };
}

const spinner = ['◰', '◳', '◲', '◱'];
const frameMs = 100;
const colours: Readonly<Record<ActionState, string>> = { running: '33', failed: '31', done: '32' };
/** With more nodes the block would be higher than most terminals. */
const mostNodes = 20;

/** A block on a terminal with one line per node, which is redrawn in place. */
export function createBlockDisplay(
  output: OutputStream,
  nodes: readonly string[],
  { isColoured }: { readonly isColoured: boolean },
): ActionDisplay {
  const lines = new Map<string, { message: string; state: ActionState }>(
    nodes.map((node) => [node, { message: 'waiting', state: 'running' }]),
  );
  let drawn = 0;
  let isOver = false;
  let frame = 0;
  const draw = () => {
    const width = (output.columns || 80) - 1;
    const fit = (text: string) =>
      text.length > width ? `${text.slice(0, Math.max(width - 3, 0))}...` : text;
    const paint = (text: string, state: ActionState): OwnText =>
      isColoured ? ownText`\u001b[${colours[state]}m${text}\u001b[0m` : ownText`${text}`;
    const isRunning = [...lines.values()].some(({ state }) => state === 'running');
    const rows = [
      ownText`${fit(`${isRunning ? spinner[frame % spinner.length] : '◼'} watching nodes: [${nodes.join(' ')}]`)}`,
      ...[...lines].map(([node, { message, state }]) =>
        paint(fit(escapeLine(`    * ${node}: ${message}`)), state),
      ),
    ];
    const back = drawn === 0 ? ownText`` : ownText`\u001b[${String(drawn)}A\r\u001b[J`;
    writeOwn(output, ownText`${back}${ownLines(rows)}`);
    drawn = rows.length;
  };
  draw();
  const timer = setInterval(() => {
    frame++;
    draw();
  }, frameMs);
  timer.unref();
  return {
    update(node, message, state = 'running') {
      lines.set(node, { message, state });
    },
    [Symbol.dispose]() {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      draw();
    },
  };
}

/** Chooses the display for the output stream. */
export function openActionDisplay(
  output: OutputStream,
  nodes: readonly string[],
  { isPlain, environment }: { readonly isPlain: boolean; readonly environment: NodeJS.ProcessEnv },
): ActionDisplay {
  if (isPlain || !output.isTTY || nodes.length > mostNodes) return createLineDisplay(output);
  return createBlockDisplay(output, nodes, { isColoured: !environment.NO_COLOR });
}

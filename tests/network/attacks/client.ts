// The other client of a machine under attack, on a link that is not attacked. It opens a connection every 50 ms, however long the answers
// take, and reads one byte, which the process of the machine sends: what is measured is whether that process still serves.
import { connect } from 'node:net';
import type { ClientReport } from './attack-bench.ts';

const [host = '', port = ''] = process.argv.slice(2);
const intervalMs = 50;
/** Longer than any pause of a machine that shares its processor with many others. */
const timeoutMs = 60_000;

let answersMs: number[] = [];
let failures: string[] = [];
let calls = 0;
/** Counts the reports: what was begun before the last one is part of none. */
let period = 0;

function call(): void {
  calls += 1;
  const begunIn = period;
  const startMs = performance.now();
  const socket = connect({ host, port: Number(port), timeout: timeoutMs });
  let isOver = false;
  const end = (failure?: string) => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    if (begunIn !== period) return;
    if (failure === undefined) answersMs.push(performance.now() - startMs);
    else failures.push(failure);
  };
  socket.once('data', () => end());
  socket.once('error', ({ message }) => end(message));
  socket.once('timeout', () => end(`no answer in ${timeoutMs / 1000} s`));
  socket.once('end', () => end('no answer'));
}

setInterval(call, intervalMs);

process.on('message', () => {
  const sorted = answersMs.toSorted((a, b) => a - b);
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  const report: ClientReport = {
    calls,
    answered: sorted.length,
    failed: failures.length,
    failures: failures.slice(0, 3),
    p99Ms,
  };
  process.send?.(report);
  [answersMs, failures, calls] = [[], [], 0];
  period += 1;
});

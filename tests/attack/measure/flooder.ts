// The attacking process, separate so that its processor time can be measured. It runs one flood and reports
// its counts.
import { findFlood } from '../floods/index.ts';
import { cpuSliceMs, type FloodJob, type FloodReport } from './child-messages.ts';

process.once('message', async ({ flood, target, durationMs }: FloodJob) => {
  let report: FloodReport;
  try {
    using cpu = sampleCpu();
    const counts = await findFlood(flood).run(target, AbortSignal.timeout(durationMs));
    report = { counts, cpuMs: cpu.slices() };
  } catch (error) {
    report = { failure: (error as Error).stack ?? String(error) };
  }
  process.send?.(report, () => process.disconnect?.());
});
// A flood ends with its parent, whatever it is waiting for.
process.once('disconnect', () => process.exit(0));
// Connections that the server closes are an expected part of every attack.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (['ECONNRESET', 'EPIPE', 'ERR_HTTP2_SESSION_ERROR'].includes(error.code ?? '')) return;
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});

function sampleCpu() {
  const startMs = performance.now();
  const slices: number[] = [];
  let before = process.cpuUsage();
  const sample = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    // A busy program samples late: spread the processor time over the slices since the last sample.
    const due = Math.max(slices.length + 1, Math.floor((performance.now() - startMs) / cpuSliceMs));
    const each = (user + system) / 1000 / (due - slices.length);
    while (slices.length < due) slices.push(each);
  };
  const timer = setInterval(sample, cpuSliceMs);
  return {
    slices() {
      sample();
      return slices;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

// The process that attacks, so that its processor time is known by itself. It does one flood and reports what it counted.
import { findFlood } from '../floods/index.ts';
import type { FloodJob, FloodReport } from './child-messages.ts';

process.once('message', async ({ flood, target, durationMs }: FloodJob) => {
  let report: FloodReport;
  try {
    const before = process.cpuUsage();
    const counts = await findFlood(flood).run(target, AbortSignal.timeout(durationMs));
    const { user, system } = process.cpuUsage(before);
    report = { counts, cpuMs: (user + system) / 1000 };
  } catch (error) {
    report = { failure: (error as Error).stack ?? String(error) };
  }
  process.send?.(report, () => process.disconnect?.());
});
// A flood ends with its parent, whatever it waits for.
process.once('disconnect', () => process.exit(0));
// What the server does to a connection is part of every attack.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (['ECONNRESET', 'EPIPE', 'ERR_HTTP2_SESSION_ERROR'].includes(error.code ?? '')) return;
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});

// Uses as much processor time as an attack did, at the same times, and makes no connections. It shows how
// much of an attack's effect on a client is due only to a busy program on the same machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { type BurnJob, cpuSliceMs } from './child-messages.ts';

/** Longest continuous use of a processor, similar to that of a busy server. */
const partMs = 20;

process.once('message', async ({ cpuMs }: BurnJob) => {
  const startMs = performance.now();
  for (const [index, sliceCpuMs] of cpuMs.entries()) {
    const share = Math.min(1, sliceCpuMs / cpuSliceMs);
    const endMs = startMs + (index + 1) * cpuSliceMs;
    while (performance.now() < endMs) {
      const partEndMs = performance.now() + partMs;
      const busyUntilMs = performance.now() + partMs * share;
      while (performance.now() < busyUntilMs);
      const restMs = partEndMs - performance.now();
      if (restMs > 0) await sleep(restMs);
    }
  }
  process.disconnect?.();
});

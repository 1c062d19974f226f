// Uses as much processor time as an attack did, evenly over the same time, and connects to nothing. Beside it one sees
// what a client feels of an attack that is merely a busy program on the same machine.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BurnJob } from './child-messages.ts';

const sliceMs = 20;

process.once('message', async ({ cpuMs, durationMs }: BurnJob) => {
  const share = Math.min(1, cpuMs / durationMs);
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const busyUntilMs = performance.now() + sliceMs * share;
    while (performance.now() < busyUntilMs);
    await sleep(Math.max(1, sliceMs * (1 - share)));
  }
  process.disconnect?.();
});

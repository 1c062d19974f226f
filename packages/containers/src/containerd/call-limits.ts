const secondMs = 1000;

/** Those that run a program, remove files, or wait until what nobody needs has been collected. */
const slowMs = 300 * secondMs;

/** By name of the call; others are answered out of a database. */
const limitsMs: Readonly<Record<string, number>> = {
  // As long as the task runs.
  'Tasks/Wait': Number.POSITIVE_INFINITY,
  // A layer of many gigabytes on a slow disk.
  'Diff/Apply': 3600 * secondMs,
  'Tasks/Create': slowMs,
  'Tasks/Start': slowMs,
  'Tasks/Delete': slowMs,
  'Images/Delete': slowMs,
  'Leases/Delete': slowMs,
  'Snapshots/Commit': slowMs,
  'Snapshots/Remove': slowMs,
  'Snapshots/Cleanup': slowMs,
};

/** How long containerd may take for a call with one answer, in ms, before it counts as hanging. */
export function callLimitMs(name: string): number {
  return limitsMs[name] ?? 60 * secondMs;
}

/** The same for each answer within a write, the last of which is when all is on the disk. */
export const writeLimitMs = slowMs;

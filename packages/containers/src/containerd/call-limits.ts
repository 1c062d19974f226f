const secondMs = 1000;

/** For calls that run a program, remove files, or wait for garbage collection. */
const slowMs = 300 * secondMs;

/** By name of the call. The other calls only read a database. */
const limitsMs: Readonly<Record<string, number>> = {
  // Lasts as long as the task.
  'Tasks/Wait': Number.POSITIVE_INFINITY,
  // Long enough for a layer of many gigabytes on a slow disk.
  'Diff/Apply': 3600 * secondMs,
  'Tasks/Create': slowMs,
  'Tasks/Start': slowMs,
  'Tasks/Delete': slowMs,
  'Images/Delete': slowMs,
  'Leases/Delete': slowMs,
  'Snapshots/Commit': slowMs,
  'Snapshots/Remove': slowMs,
};

/** How long containerd may take for a unary call, in ms, before it counts as hung. */
export function callLimitMs(name: string): number {
  return limitsMs[name] ?? 60 * secondMs;
}

/** The same for each response within a write. The last one arrives when everything is on the disk. */
export const writeLimitMs = slowMs;

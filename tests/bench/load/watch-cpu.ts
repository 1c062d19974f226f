import { readProcessCpuMs } from '../measure/process-cpu.ts';

/**
 * Reads the processor time of processes, including this one. The returned function gives the time used since
 * then.
 */
export function watchCpu(
  pids: readonly number[],
): () => { cpuMs: Record<number, number>; loadCpuMs: number } {
  const distinct = [...new Set(pids)];
  const read = () => ({ own: readProcessCpuMs(process.pid), watched: distinct.map(readProcessCpuMs) });
  const before = read();
  return () => {
    const after = read();
    const spent = distinct.map(
      (pid, index) => [pid, (after.watched[index] ?? 0) - (before.watched[index] ?? 0)] as const,
    );
    return { cpuMs: Object.fromEntries(spent), loadCpuMs: after.own - before.own };
  };
}

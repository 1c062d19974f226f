import { readdirSync } from 'node:fs';

/** Number of open descriptors of a process. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

import { parseUptime } from '@nodewright/linux';

/** When the machine started, Unix ms, by what `/proc/uptime` says. Whole seconds ago, as upstream counts. */
export function bootTimeMs(nowMs: number, uptime: string): number {
  return nowMs - Math.floor(parseUptime(uptime)) * 1000;
}

import { parseUptime } from '@nodewright/linux';

/**
 * Computes when the machine started, in Unix ms, from the content of `/proc/uptime`. As upstream, it drops
 * fractions of a second.
 */
export function bootTimeMs(nowMs: number, uptime: string): number {
  return nowMs - Math.floor(parseUptime(uptime)) * 1000;
}

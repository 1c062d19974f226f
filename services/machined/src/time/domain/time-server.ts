/** Asked when the configuration names no server. Source: Talos v1.14: time, source selection. */
export const defaultTimeServer = 'time.cloudflare.com';

/** The server that the Time call asks: the first one that is configured. */
export function timeServerOf(configured: readonly string[]): string {
  return configured[0] ?? defaultTimeServer;
}

/** Used when the configuration has no server. Source: Talos v1.14: time, source selection. */
export const defaultTimeServer = 'time.cloudflare.com';

/** The server that the Time call queries: the first configured one. */
export function timeServerOf(configured: readonly string[]): string {
  return configured[0] ?? defaultTimeServer;
}

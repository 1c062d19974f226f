/** Used when the configuration has no server. Source: Talos v1.14: time, source selection. */
export const defaultTimeServer = 'time.cloudflare.com';

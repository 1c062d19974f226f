import { defaultTimeServer } from '../../base/domain/default-time-server.ts';

/** The server that the Time call queries: the first configured one. */
export function timeServerOf(configured: readonly string[]): string {
  return configured[0] ?? defaultTimeServer;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type RequestSample, requestsPerSecond } from '@nodewright/node-files';

/** Asks one API server. Resolves when it has answered with success, and rejects otherwise. */
export type AskServer = (server: string, signal: AbortSignal) => Promise<void>;

/** Requests that are sent all the time to all API servers. */
export interface Asking {
  /** Whether this server has answered the newest request whose answers are complete. */
  answers(server: string): boolean;
  /** Sends no more requests, and resolves to all that were sent, when the last one is answered or its time is over. */
  stop(): Promise<readonly RequestSample[]>;
}

/** An API server that has not answered within this time has not answered, in milliseconds. */
const answerTimeoutMs = 5_000;

/**
 * Sends ten requests each second, each to all servers at once, until `stop()`. One that is late is sent at once, and shows when it was sent.
 * As each ends after five seconds, at most fifty are open for each server.
 */
export function askApiServers(servers: readonly string[], ask: AskServer): Asking {
  const stopped = new AbortController();
  const samples: RequestSample[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let newest: RequestSample | undefined;
  const send = async () => {
    const sentAt = performance.now();
    const answersMs = await Promise.all(
      servers.map(async (server) => {
        try {
          await ask(server, AbortSignal.timeout(answerTimeoutMs));
          return performance.now() - sentAt;
        } catch {
          return undefined;
        }
      }),
    );
    const sample = { sentMs: sentAt - startedAt, answersMs };
    samples.push(sample);
    if (newest === undefined || newest.sentMs < sample.sentMs) newest = sample;
  };
  const run = async () => {
    for (let sent = 0; !stopped.signal.aborted; sent += 1) {
      const sending: Promise<void> = send().finally(() => open.delete(sending));
      open.add(sending);
      const dueMs = startedAt + ((sent + 1) * 1000) / requestsPerSecond - performance.now();
      await sleep(Math.max(0, dueMs), undefined, { signal: stopped.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    answers: (server) => newest?.answersMs[servers.indexOf(server)] !== undefined,
    async stop() {
      stopped.abort();
      await running;
      await Promise.all(open);
      return samples;
    },
  };
}

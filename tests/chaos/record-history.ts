// Clients write and read a few keys, and record what each of them saw. A checker can then decide whether etcd was linearizable.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdClient } from '@nodewright/etcd';

/** What one client did to one key. Times are in milliseconds of one clock. */
export interface RecordedOperation {
  readonly client: number;
  readonly key: string;
  readonly kind: 'write' | 'read';
  /** What was written, or read; empty when the key was not there. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** Whether nobody knows how it ended: the write may happen at any time after its start, or never. */
  readonly unknown: boolean;
}

export interface RecordHistoryInit {
  /** Each client has one of its own. */
  readonly stores: readonly Pick<EtcdClient, 'get' | 'put'>[];
  readonly prefix: string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  readonly pauseMs?: number;
}

export const historyKeys = 8;
const timeoutMs = 5000;
const defaultPauseMs = 50;
/** A minute of ten clients without pauses has about as many; the history stays in memory until the end. */
const mostOperations = 200_000;

/** Writes and reads until the signal aborts, half of each; each write has a value of its own. Returns the operations by their ends. */
export async function recordHistory(init: RecordHistoryInit): Promise<RecordedOperation[]> {
  const { stores, prefix, random, nowMs, signal, pauseMs = defaultPauseMs } = init;
  const history: RecordedOperation[] = [];
  const use = async (store: Pick<EtcdClient, 'get' | 'put'>, client: number) => {
    for (let count = 0; !signal.aborted && history.length < mostOperations; count += 1) {
      const key = `${prefix}${Math.floor(random() * historyKeys)}`;
      const kind = random() < 0.5 ? 'write' : 'read';
      const start = nowMs();
      const written = kind === 'write' ? `${client}-${count}` : '';
      const call = async () => {
        if (kind === 'write') await store.put(key, written, { timeoutMs });
        else return Buffer.from((await store.get(key, { timeoutMs }))?.value ?? []).toString();
      };
      const ended = await call().then(
        (read) => ({ value: read ?? written, unknown: false }),
        () => ({ value: written, unknown: true }),
      );
      history.push({ client, key, kind, ...ended, start, end: nowMs() });
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  await Promise.all(stores.map(use));
  return history;
}

import { once } from 'node:events';

/** What a process of Node.js has reachable, in bytes. */
export interface Reachable {
  /** Objects of JavaScript. */
  readonly heap: number;
  /** Buffers, whose memory is outside of the heap. */
  readonly buffers: number;
}

interface Answer {
  readonly id?: number;
  readonly result?: Readonly<Record<string, number>>;
  readonly error?: { readonly message: string };
}

/** How often all garbage is collected: what a finalizer lets go is gone after the next time only. */
const collections = 3;
const answerMs = 60_000;

/**
 * Has a process collect all garbage, through its inspector (`--inspect`), and asks what is left.
 *
 * @param address host:port of the inspector
 * @throws Error when the process does not answer within a minute
 */
export async function inspectHeap(address: string): Promise<Reachable> {
  const signal = AbortSignal.timeout(answerMs);
  const list = await fetch(`http://${address}/json/list`, { signal });
  const [target] = (await list.json()) as { readonly webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error(`the inspector at ${address} shows no program`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  try {
    await once(socket, 'open', { signal });
    let last = 0;
    const call = async (method: string) => {
      last += 1;
      socket.send(JSON.stringify({ id: last, method }));
      for (;;) {
        const [{ data }] = (await once(socket, 'message', { signal })) as [MessageEvent];
        const { id, result, error } = JSON.parse(String(data)) as Answer;
        if (id !== last) continue;
        if (error !== undefined) throw new Error(`${method}: ${error.message}`);
        return result ?? {};
      }
    };
    for (let done = 0; done < collections; done += 1) await call('HeapProfiler.collectGarbage');
    const { usedSize = Number.NaN, backingStorageSize = Number.NaN } = await call('Runtime.getHeapUsage');
    return { heap: usedSize, buffers: backingStorageSize };
  } finally {
    socket.close();
  }
}

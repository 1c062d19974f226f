import { connect, type Socket } from 'node:net';
import type { Timers } from '@nodewright/async';
import type { KubePrismEndpoint } from '@nodewright/state/kinds';

export interface DialFirstInit<B> {
  /** In the order in which they are tried. */
  readonly backends: readonly B[];
  readonly timers: Timers;
  /** How long to wait for one backend before the next one is tried as well, in ms. */
  readonly staggerMs: number;
  /** How long to wait in all, in ms. */
  readonly timeoutMs: number;
  readonly onFailure: (backend: B) => void;
  readonly signal: AbortSignal;
  /** Begins a connection; by default over TCP. */
  readonly dial?: (endpoint: KubePrismEndpoint) => Socket;
}

const dialTcp = ({ host, port }: KubePrismEndpoint) => connect({ host, port, allowHalfOpen: true });

/**
 * Connects to the first backend that accepts. One that refuses is followed by the next one at once; one that does not answer does
 * not delay the others for long. `undefined` when none accepts in time.
 */
export function dialFirst<B extends { readonly endpoint: KubePrismEndpoint }>({
  backends,
  timers,
  staggerMs,
  timeoutMs,
  onFailure,
  signal,
  dial = dialTcp,
}: DialFirstInit<B>): Promise<{ readonly backend: B; readonly socket: Socket } | undefined> {
  const { promise, resolve } = Promise.withResolvers<
    { readonly backend: B; readonly socket: Socket } | undefined
  >();
  const pending = new Map<Socket, B>();
  const clocks = new Set<Disposable>();
  let next = 0;
  let isOver = false;
  const finish = (winner: { readonly backend: B; readonly socket: Socket } | undefined) => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', stop);
    for (const clock of clocks) clock[Symbol.dispose]();
    for (const socket of pending.keys()) socket.destroy();
    resolve(winner);
  };
  const stop = () => finish(undefined);
  const begin = () => {
    const backend = backends[next];
    next += 1;
    if (isOver) return;
    if (backend === undefined) {
      if (pending.size === 0) finish(undefined);
      return;
    }
    const socket = dial(backend.endpoint);
    pending.set(socket, backend);
    socket.once('connect', () => {
      pending.delete(socket);
      finish({ backend, socket });
    });
    socket.on('error', () => {
      if (!pending.delete(socket)) return;
      if (!isOver) onFailure(backend);
      begin();
    });
    clocks.add(timers.after(staggerMs, begin));
  };
  if (signal.aborted) return Promise.resolve(undefined);
  signal.addEventListener('abort', stop);
  clocks.add(
    timers.after(timeoutMs, () => {
      for (const backend of pending.values()) onFailure(backend);
      finish(undefined);
    }),
  );
  begin();
  return promise;
}

/** The signals that end a process: first SIGTERM, then SIGKILL. */
export type EndingSignal = 'SIGTERM' | 'SIGKILL';

/**
 * Sends SIGTERM once `signal` aborts, and SIGKILL after the grace time, unless it is disposed of because the
 * process has ended.
 */
export function terminateOnAbort(
  signal: AbortSignal,
  graceTimeoutMs: number,
  send: (name: EndingSignal) => void,
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const terminate = () => {
    send('SIGTERM');
    timer = setTimeout(() => send('SIGKILL'), graceTimeoutMs);
  };
  signal.addEventListener('abort', terminate, { once: true });
  if (signal.aborted) terminate();
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener('abort', terminate);
    },
  };
}

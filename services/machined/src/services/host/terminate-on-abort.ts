/** The signals that end something: first to ask, then to force. */
export type EndingSignal = 'SIGTERM' | 'SIGKILL';

/** Sends SIGTERM once `signal` aborts, and SIGKILL after the grace time, until it is disposed: then it has ended. */
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

import type { KubePrismEndpoint } from '@nodewright/state/kinds';

/** Resolves when a server completes a TLS handshake, and rejects with the reason. */
export type CheckEndpoint = (endpoint: KubePrismEndpoint, signal: AbortSignal) => Promise<void>;

/**
 * Completes a TLS handshake and disconnects: a server that accepts connections and does not answer fails. The certificate is
 * not verified, because only the clients of KubePrism speak to the server.
 */
export const checkEndpoint: CheckEndpoint = async ({ host, port }, signal) => {
  // Loaded here, because only nodes with Kubernetes need it.
  const { connect } = await import('node:tls');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) return stop();
  signal.addEventListener('abort', stop, { once: true });
  const socket = connect({ host, port, rejectUnauthorized: false }, resolve);
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server closed the connection')));
  return promise.finally(() => {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  });
};

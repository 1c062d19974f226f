import { connect } from 'node:net';
import { openUnixPath } from '@nodewright/files';
import type { Channel } from 'nice-grpc';

/** Source: gRPC core, connectivity states. */
const transientFailure = 3;

/**
 * After a lost connection gRPC backs off, and calls fail at once in the meantime. This function waits for
 * that back-off, but only if a server listens on the socket again. Then the call does not fail because of the
 * earlier outage.
 */
export async function awaitConnection(
  channel: Channel,
  socketPath: string,
  timeoutMs: number,
): Promise<void> {
  if (channel.getConnectivityState(true) !== transientFailure) return;
  if (!(await isListening(socketPath))) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.watchConnectivityState(transientFailure, Date.now() + timeoutMs, () => resolve());
  await promise;
}

async function isListening(socketPath: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let name: ReturnType<typeof openUnixPath>;
  try {
    name = openUnixPath(socketPath);
  } catch {
    return false;
  }
  using path = name;
  const socket = connect(path.path, () => resolve(true));
  socket.on('error', () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

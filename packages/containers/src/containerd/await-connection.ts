import { connect } from 'node:net';
import { openUnixPath } from '@nodewright/files';
import type { Channel } from 'nice-grpc';

/** Source: gRPC core, connectivity states. */
const transientFailure = 3;

/**
 * gRPC lets some time pass before it tries again a server that was gone, and meanwhile every call fails. Here a call waits
 * that long, but only if somebody listens again: then it does not fail because of what was before.
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

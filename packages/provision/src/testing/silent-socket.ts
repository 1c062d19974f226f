import { once } from 'node:events';
import { link, rename } from 'node:fs/promises';
import { createServer } from 'node:net';

/** Leaves a socket that nobody listens on at `path`, as a process does that was killed. The folder must exist. */
export async function leaveSilentSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.0`);
  await once(server, 'listening');
  // The server removes its own name when it closes.
  await link(`${path}.0`, `${path}.1`);
  server.close();
  await once(server, 'close');
  await rename(`${path}.1`, path);
}

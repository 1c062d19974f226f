import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDocker } from '@nodewright/provision/engine';

/** The machine's engine, behind a socket at which one kind of request comes late. Disposing it closes the socket. */
export interface LateEngine extends AsyncDisposable {
  /** For clients: what they ask goes through here. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when a request is held. */
  readonly held: Promise<void>;
  /** Hands over what is held, whether or not someone still waits for the answer, and resolves when it is answered. */
  release(): Promise<void>;
}

/**
 * Holds the first request that begins with `start`, such as `POST /v1.41/networks/create`, and those after it on the
 * same connection. A client that goes away meanwhile does not take it back, as with a busy engine that has read it.
 */
export async function openLateEngine(start: RegExp): Promise<LateEngine> {
  const engine = await engineSocket();
  const folder = mkdtempSync(join(tmpdir(), 'late-'));
  const path = join(folder, 'docker.sock');
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  let isFirst = true;

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = createConnection({ path: engine, allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    // Not a pipe: what is answered to a client that went away has to be read all the same.
    upstream.on('data', (bytes) => client.writable && client.write(bytes)).on('end', () => client.end());
    let handedOver = Promise.resolve();
    client.on('data', (bytes) => {
      if (isFirst && start.test(bytes.toString('latin1'))) {
        isFirst = false;
        held.resolve();
        handedOver = released.promise.then(() => {
          upstream.once('data', () => answered.resolve()).once('close', () => answered.resolve());
        });
      }
      handedOver = handedOver.then(() => void upstream.write(bytes));
    });
    client.on('end', () => void handedOver.then(() => upstream.end()));
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    environment: { DOCKER_HOST: `unix://${path}` },
    held: held.promise,
    async release() {
      released.resolve();
      await answered.promise;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function engineSocket(): Promise<string> {
  const host = await runDocker(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}']);
  if (!host.startsWith('unix://')) throw new Error(`the engine has no unix socket here: ${host.trim()}`);
  return host.trim().slice('unix://'.length);
}

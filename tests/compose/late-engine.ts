import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDocker } from '@nodewright/provision/engine';

/** The machine's engine, behind a socket that delays one kind of request. Disposing it closes the socket. */
export interface LateEngine extends AsyncDisposable {
  /** Path for clients, whose requests go through here. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when a request is held. */
  readonly held: Promise<void>;
  /**
   * Forwards the held request, even when its client has disconnected, and resolves when the engine has
   * answered.
   */
  release(): Promise<void>;
}

/**
 * Holds the first request that begins with `start`, such as `POST /v1.41/networks/create`, and later ones on
 * the same connection. The request stays valid when its client disconnects, as with a busy engine that has
 * already read it.
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
    // Not `pipe()`: an answer to a client that has disconnected must still be read.
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

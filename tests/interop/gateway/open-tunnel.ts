import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';

/**
 * A unix socket whose connections go to a gateway with the client certificate that it requires, byte for byte: the
 * programs of others cannot present one. When one side ends or breaks, so does the other.
 */
export async function openTunnel(path: string, tls: ConnectionOptions): Promise<AsyncDisposable> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...tls, allowHalfOpen: true } as ConnectionOptions);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroySoon();
      });
      one.pipe(other);
    }
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

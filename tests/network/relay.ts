// Passes connections on, so that a client outside of a network namespace reaches what listens inside of it: from a socket's path or a
// port to another path, or to a port of an address.
import { createConnection, createServer, type ListenOptions, type TcpNetConnectOpts } from 'node:net';

export interface RelayInit {
  readonly listen: ListenOptions;
  readonly connect: { readonly path: string } | Pick<TcpNetConnectOpts, 'host' | 'port'>;
}

/** Resolves when it listens. */
export async function relay({ listen, connect }: RelayInit): Promise<void> {
  const server = createServer((client) => {
    const target = createConnection(connect as TcpNetConnectOpts);
    // One that cannot be reached is a connection that ends.
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(listen, resolve));
}

if (process.env.RELAY !== undefined) {
  await relay(JSON.parse(process.env.RELAY) as RelayInit);
  console.log('relay listens');
}

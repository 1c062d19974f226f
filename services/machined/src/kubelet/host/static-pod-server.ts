import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface StaticPodServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Answers every later request with this document. */
  serve(text: string): void;
}

/** The kubelet uses one connection; everything else that connects is a stranger. */
const maxConnections = 16;
/** A request has no body, so it is complete at once. */
const requestTimeoutMs = 5_000;
const maxHeaderBytes = 8 << 10;

/**
 * Serves the static pods of the node on a port of the loopback device that the kernel chooses. Every path answers the same
 * document, which holds no secrets. Source: Talos v1.14: static pods, delivery.
 *
 * @param onFailure called when the server ends by itself
 */
export async function openStaticPodServer(onFailure: (error: unknown) => void): Promise<StaticPodServer> {
  // Loaded here because only nodes with a kubelet need it.
  const { createServer } = await import('node:http');
  let document: string | undefined;
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestTimeoutMs,
    },
    (request, response) => {
      // The connection of a request with a body would stay busy until all of it was read.
      if (request.method !== 'GET') response.writeHead(405, { allow: 'GET', connection: 'close' }).end();
      else if (document === undefined) response.writeHead(503).end();
      else response.writeHead(200, { 'content-type': 'application/yaml' }).end(document);
    },
  );
  server.maxConnections = maxConnections;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.on('error', onFailure);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    serve(text) {
      document = text;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

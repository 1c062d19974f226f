import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectSession } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { decodeGrpcMessage } from '@nodewright/h2';
import type { Credentials, ServerAddress } from '../wire/raw-connection.ts';

export interface CallOnce {
  readonly path: string;
  readonly metadata?: readonly (readonly [name: string, value: string])[];
  /** One or more framed messages; an empty message by default. */
  readonly body?: Uint8Array;
}

export interface Answer {
  /** gRPC status code; `undefined` when the call ended without one. */
  readonly code: number | undefined;
  readonly message: string;
  readonly body: Buffer;
}

const callTimeoutMs = 15_000;
const emptyMessage = Buffer.alloc(5);

/** How apid begins the error text of a node in a joint answer. */
const failureOfNode = 'rpc error: code = ';

/**
 * Whether at least one node executed the call: the status is OK and, in a joint answer, not every node
 * failed.
 */
export function isCarriedOut({ code, body }: Answer, metadata: CallOnce['metadata'] = []): boolean {
  if (code !== 0) return false;
  const targets = metadata.filter(([name]) => name === 'nodes').length;
  return targets === 0 || body.toString('latin1').split(failureOfNode).length - 1 < targets;
}

/** A client on node:http2 that returns statuses and bytes undecoded. Rejects when the handshake fails. */
export class Caller implements Disposable {
  readonly socket: TLSSocket;
  readonly session: ClientHttp2Session;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    this.session = connectSession('https://node', { createConnection: () => socket });
    this.session.on('error', () => {});
  }

  static async open(server: ServerAddress, credentials: Credentials | undefined): Promise<Caller> {
    const socket = connect({
      ...server,
      rejectUnauthorized: false,
      ...(credentials && { cert: credentials.certificate, key: credentials.key }),
      ALPNProtocols: ['h2'],
    });
    await once(socket, 'secureConnect');
    return new Caller(socket);
  }

  async call({ path, metadata = [], body = emptyMessage }: CallOnce): Promise<Answer> {
    const fields = [
      ...[':method', 'POST', ':scheme', 'https', ':authority', 'node', ':path', path],
      ...['content-type', 'application/grpc', 'te', 'trailers', ...metadata.flat()],
    ];
    const stream = this.session.request(fields, { endStream: false });
    let code: number | undefined;
    let message = '';
    const chunks: Buffer[] = [];
    const take = (headers: { 'grpc-status'?: string | undefined; 'grpc-message'?: string | undefined }) => {
      if (headers['grpc-status'] === undefined) return;
      code = Number(headers['grpc-status']);
      message = decodeGrpcMessage(headers['grpc-message'] ?? '');
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => {});
    stream.setTimeout(callTimeoutMs, () => stream.close());
    // A call that ends with an error emits `close`, too.
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.end(body);
    await closed;
    return { code, message, body: Buffer.concat(chunks) };
  }

  [Symbol.dispose](): void {
    this.session.destroy();
    this.socket.destroy();
  }
}

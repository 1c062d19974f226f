import { once } from 'node:events';
import { connect } from 'node:http2';
import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import { metadataKeys, ports } from '@nodewright/contract';
import { Fault, kindFromGrpcCode } from '@nodewright/fault';
import { tlsPrivateKey } from '@nodewright/pki';

export interface NodesCall<T> {
  readonly context: TalosconfigContext;
  /** Address of the apid to call. */
  readonly endpoint: string;
  /** `/package.Service/Method`, called with an empty request. */
  readonly path: string;
  readonly decode: (bytes: Uint8Array) => T;
  readonly nodes: readonly string[];
}

/**
 * Makes an aggregated call as older clients do: one metadata field `nodes` per node, which the client library
 * of this project would join into one. Returns the reply unchanged, failed entries included.
 */
export async function callNodes<T>(call: NodesCall<T>): Promise<T> {
  const pem = (text = '') => Buffer.from(text, 'base64').toString();
  const { ca, crt, key } = call.context;
  const session = connect(`https://${call.endpoint}:${ports.apid}`, {
    ca: pem(ca),
    cert: pem(crt),
    key: tlsPrivateKey(pem(key?.reveal())),
  });
  try {
    await once(session, 'connect');
    const stream = session.request({
      ':method': 'POST',
      ':path': call.path,
      'content-type': 'application/grpc',
      te: 'trailers',
      [metadataKeys.nodes]: [...call.nodes],
    });
    let status: unknown;
    let message: unknown;
    for (const event of ['response', 'trailers'] as const) {
      stream.on(event, (fields: Record<string, unknown>) => {
        status ??= fields['grpc-status'];
        message ??= fields['grpc-message'];
      });
    }
    // An empty gRPC message: not compressed, no bytes.
    stream.end(Buffer.alloc(5));
    const chunks: Buffer[] = await stream.toArray();
    if (Number(status) !== 0) {
      throw new Fault(kindFromGrpcCode(Number(status)), decodeURIComponent(String(message)));
    }
    return call.decode(Buffer.concat(chunks).subarray(5));
  } finally {
    session.destroy();
  }
}

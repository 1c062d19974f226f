import { type MethodKind, methodTable } from '@nodewright/contract';
import { createRpcClient } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { type Channel, ClientError, type CompatServiceDefinition } from 'nice-grpc';

export interface CallOutcome {
  /** gRPC status code. */
  readonly code: number;
  readonly details: string;
}

const bytes = (value: Uint8Array) => Buffer.from(value);

/** Calls any method with one message, an empty one by default, and tells how the call ended. Replies are not decoded. */
export async function rawCall(
  channel: Channel,
  path: string,
  metadata: Record<string, string | string[]>,
  message: Uint8Array = Buffer.alloc(0),
): Promise<CallOutcome> {
  const kind: MethodKind = methodTable[path]?.kind ?? 'unary';
  const definition = {
    call: {
      path,
      requestStream: kind === 'client-stream' || kind === 'bidi',
      responseStream: kind === 'server-stream' || kind === 'bidi',
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
      options: {},
    },
  } satisfies CompatServiceDefinition;
  const client = createRpcClient(definition, channel, { telemetry: noTelemetry, metadata }) as unknown as {
    call(request: unknown): Promise<unknown> | AsyncIterable<unknown>;
  };
  async function* once() {
    yield message;
  }
  try {
    const reply = client.call(definition.call.requestStream ? once() : message);
    if (definition.call.responseStream) for await (const _ of reply as AsyncIterable<unknown>);
    else await reply;
    return { code: 0, details: '' };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { code: error.code, details: error.details };
  }
}

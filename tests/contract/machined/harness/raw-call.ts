import { HealthDefinition } from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { methodKinds } from '@nodewright/contract/machine-services';
import { createRpcClient } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { type CallOptions, type Channel, ClientError, type CompatServiceDefinition } from 'nice-grpc';

export interface CallOutcome {
  /** gRPC status code. */
  readonly code: number;
  readonly details: string;
}

const bytes = (value: Uint8Array) => Buffer.from(value);

/** Ends the node, whatever the request is. */
export const shutdownPath = '/machine.MachineService/Shutdown';

/** Requests for methods that would end the node: an invalid mode makes an authorized call fail. */
const refusedMessages: Readonly<Record<string, Uint8Array>> = {
  '/machine.MachineService/Reboot': Uint8Array.of(0x08, 9),
  '/machine.MachineService/Reset': Uint8Array.of(0x28, 9),
};

/**
 * A stream that is silent for this long, in milliseconds, and while the node answers another call after that, counts as
 * endless.
 */
const silenceMs = 2000;

/**
 * Calls any method with one message, by default one that is empty and changes nothing, and returns how the
 * call ended. Replies are not decoded. Streams are cancelled after the first message, because many have no
 * end.
 */
export async function rawCall(
  channel: Channel,
  path: string,
  metadata: Record<string, string | string[]>,
  message: Uint8Array = refusedMessages[path] ?? Buffer.alloc(0),
): Promise<CallOutcome> {
  const kind = methodKinds[path] ?? 'unary';
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
    call(request: unknown, options: CallOptions): Promise<unknown> | AsyncIterable<unknown>;
  };
  const silence = new AbortController();
  const health = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
  const timer = setTimeout(() => {
    const end = () => silence.abort();
    health.check({ service: '' }).then(end, end);
  }, silenceMs);
  async function* once() {
    yield message;
  }
  try {
    const { requestStream, responseStream } = definition.call;
    const options = responseStream ? { signal: silence.signal } : {};
    const reply = client.call(requestStream ? once() : message, options);
    if (responseStream) for await (const _ of reply as AsyncIterable<unknown>) break;
    else await reply;
    return { code: 0, details: '' };
  } catch (error) {
    if (definition.call.responseStream && silence.signal.aborted) return { code: 0, details: '' };
    if (!(error instanceof ClientError)) throw error;
    return { code: error.code, details: error.details };
  } finally {
    clearTimeout(timer);
  }
}

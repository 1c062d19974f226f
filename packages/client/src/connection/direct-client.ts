import { withByteMessages } from '@nodewright/rpc/byte-messages';
import { createClientTraceMiddleware } from '@nodewright/rpc/client-tracing';
import type { Telemetry } from '@nodewright/telemetry';
import type { CallOptions, TsProtoServiceDefinition } from 'nice-grpc';
import { ClientError, type ClientMiddlewareCall } from 'nice-grpc-common';
import { type CallCarrier, openDirectCall, statusCodes } from './direct-call.ts';
import type { RawClient } from './endpoint-connection.ts';

export interface DirectClientInit extends CallCarrier {
  readonly telemetry: Telemetry;
}

type Message = unknown;
type Method = TsProtoServiceDefinition['methods'][string];

/** A client of one service, as nice-grpc makes it for a channel of the gRPC library. */
export function createDirectClient(
  definition: TsProtoServiceDefinition,
  { telemetry, ...carrier }: DirectClientInit,
): RawClient {
  const trace = createClientTraceMiddleware(telemetry, `dns:${carrier.authority}`);
  const methods = Object.entries(withByteMessages(definition).methods).map(([key, method]) => {
    const { requestStream, responseStream, options } = method;
    const path = `/${definition.fullName}/${method.name}`;
    const replies = (request: Message | AsyncIterable<Message>, callOptions: CallOptions) =>
      openDirectCall(carrier, {
        path,
        requests: encoded(path, method, (requestStream ? request : [request]) as AsyncIterable<Message>),
        decode: (bytes) => decoded(path, method, bytes),
        options: callOptions,
      });
    const next = responseStream
      ? replies
      : (request: Message | AsyncIterable<Message>, callOptions: CallOptions) =>
          onlyReply(path, replies(request, callOptions));
    const start = (request: Message, callOptions: CallOptions) => {
      const described = { path, requestStream, responseStream, options: options as never };
      const call = { method: described, requestStream, request, responseStream, next };
      return trace(call as unknown as ClientMiddlewareCall<Message, Message>, callOptions);
    };
    const call = responseStream
      ? start
      : async (request: Message, callOptions: CallOptions) =>
          (await start(request, callOptions).next()).value;
    return [key, call] as const;
  });
  return Object.fromEntries(methods);
}

async function* encoded(path: string, { requestType }: Method, messages: AsyncIterable<Message>) {
  for await (const message of messages) {
    let bytes: Uint8Array;
    try {
      bytes = requestType.encode(requestType.fromPartial?.(message) ?? message).finish();
    } catch (error) {
      throw new ClientError(
        path,
        statusCodes.internal,
        `Request message serialization failure: ${textOf(error)}`,
      );
    }
    yield bytes;
  }
}

function decoded(path: string, { responseType }: Method, bytes: Uint8Array): Message {
  try {
    return responseType.decode(bytes);
  } catch (error) {
    throw new ClientError(path, statusCodes.internal, `Response message parsing error: ${textOf(error)}`);
  }
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Returns the message of a call that has one. */
// biome-ignore lint/correctness/useYield: a call with one reply is a generator that only returns, for middleware
async function* onlyReply(path: string, replies: AsyncIterable<Message>): AsyncGenerator<never, Message> {
  let reply: { readonly message: Message } | undefined;
  for await (const message of replies) {
    if (reply !== undefined)
      throw new ClientError(path, statusCodes.unimplemented, 'Too many responses received');
    reply = { message };
  }
  if (reply === undefined) throw new ClientError(path, statusCodes.unimplemented, 'No message received');
  return reply.message;
}

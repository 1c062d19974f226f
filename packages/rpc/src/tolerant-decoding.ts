// The gRPC library answers a request that it cannot decode with INTERNAL and no reason. Here decoding never
// fails: an undecodable request becomes a marker, which is rejected after the daemon's own checks like any
// other invalid argument.
import { Fault } from '@nodewright/fault';
import type { CallContext, CompatServiceDefinition, ServerMiddlewareCall } from 'nice-grpc';

/** Marks a request that is not a valid message of its type. */
class UndecodableRequest {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

type Decode = (bytes: Uint8Array) => unknown;

function tolerant(decode: Decode): Decode {
  return (bytes) => {
    try {
      return decode(bytes);
    } catch (error) {
      return new UndecodableRequest(error instanceof Error ? error.message : String(error));
    }
  };
}

function mapValues(record: object, change: (value: never) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value as never)]));
}

/** The same service, for a server that has `refuseUndecodable` among its middleware. */
export function withTolerantDecoding(definition: CompatServiceDefinition): CompatServiceDefinition {
  const changed =
    'methods' in definition && typeof definition.fullName === 'string'
      ? {
          ...definition,
          methods: mapValues(definition.methods, (method: { requestType: { decode: Decode } }) => ({
            ...method,
            requestType: { ...method.requestType, decode: tolerant(method.requestType.decode) },
          })),
        }
      : mapValues(definition, (method: { requestDeserialize: Decode }) => ({
          ...method,
          requestDeserialize: tolerant(method.requestDeserialize),
        }));
  return changed as unknown as CompatServiceDefinition;
}

/** The error for a request that is not a valid message of its type. */
export function undecodableFault(path: string, problem: string): Fault {
  return new Fault('invalid-argument', `the request of ${path} cannot be decoded: ${problem}`);
}

function checked<Request>(request: Request, path: string): Request {
  if (request instanceof UndecodableRequest) throw undecodableFault(path, request.problem);
  return request;
}

async function* eachChecked<Request>(requests: AsyncIterable<Request>, path: string) {
  for await (const request of requests) yield checked(request, path);
}

/**
 * Middleware that rejects undecodable requests with `invalid-argument`. It is innermost, so a caller without
 * permission learns nothing about its request.
 */
export function refuseUndecodable<Request, Response>(
  call: ServerMiddlewareCall<Request, Response>,
  context: CallContext,
) {
  const { path } = call.method;
  const request = call.requestStream ? eachChecked(call.request, path) : checked(call.request, path);
  return call.next(request, context);
}

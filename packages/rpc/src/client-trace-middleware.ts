// From the common part of the library, so that a client which does not use its transport does not load that.
import { grpcStatusText } from '@nodewright/fault';
import {
  rpcAttributes,
  rpcSpanName,
  rpcStatusAttribute,
  type Span,
  serverAttributes,
  type Telemetry,
} from '@nodewright/telemetry';
import {
  type CallOptions,
  ClientError,
  type ClientMiddleware,
  type ClientMiddlewareCall,
  Metadata,
} from 'nice-grpc-common';
import { traceparentKey } from './traceparent-key.ts';

/** Creates a client span per call, to `target` as gRPC names it; the callee continues its trace. */
export function createClientTraceMiddleware(telemetry: Telemetry, target: string): ClientMiddleware {
  const server = serverAttributes(target);
  return (call, given) => {
    const { path } = call.method;
    const span = telemetry.startSpan(rpcSpanName(path), {
      kind: 'client',
      attributes: { ...rpcAttributes(path), ...server },
    });
    // A caller without its own metadata passes none.
    const { traceparent } = span;
    const options =
      traceparent === undefined
        ? given
        : { ...given, metadata: Metadata(given.metadata).set(traceparentKey, traceparent) };
    return telemetry.enabled ? trace(call, options, span) : call.next(call.request, options);
  };

  async function* trace<Request, Response>(
    call: ClientMiddlewareCall<Request, Response>,
    options: CallOptions,
    span: Span,
  ) {
    try {
      const result = yield* call.next(call.request, options);
      span.setAttributes(rpcStatusAttribute(0));
      return result;
    } catch (error) {
      const code = error instanceof ClientError ? error.code : undefined;
      if (code !== undefined) span.setAttributes(rpcStatusAttribute(code));
      span.fail(error, code === undefined ? undefined : grpcStatusText(code));
      throw error;
    } finally {
      span.end();
    }
  }
}

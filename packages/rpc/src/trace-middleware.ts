import { grpcStatusText, isServerFailure, kindFromGrpcCode } from '@nodewright/fault';
import {
  rpcAttributes,
  rpcSpanName,
  rpcStatusAttribute,
  type Span,
  serverAttributes,
  type Telemetry,
} from '@nodewright/telemetry';
import type {
  CallContext,
  CallOptions,
  ClientMiddleware,
  ClientMiddlewareCall,
  ServerMiddleware,
  ServerMiddlewareCall,
} from 'nice-grpc';
import { ClientError, Metadata } from 'nice-grpc';
import { iterateInSpan } from './iterate-in-span.ts';
import { statusOf } from './status-of.ts';

/** Metadata key of W3C trace context. */
const traceparentKey = 'traceparent';

type Replies<Response> = AsyncGenerator<Response, Response | undefined, undefined>;

/**
 * Creates a server span per call, which continues the caller's trace. Untraced calls pass without a wrapper,
 * because every generator in the chain costs time per message.
 */
export function createServerTraceMiddleware(telemetry: Telemetry): ServerMiddleware {
  return (call, context) => {
    const parent = context.metadata.get(traceparentKey);
    if (!telemetry.enabled && parent === undefined) return call.next(call.request, context);
    return trace(call, context, parent);
  };

  async function* trace<Request, Response>(
    call: ServerMiddlewareCall<Request, Response>,
    context: CallContext,
    parent: string | undefined,
  ) {
    const { path } = call.method;
    const span = telemetry.startSpan(rpcSpanName(path), {
      kind: 'server',
      // No parent: this call starts a new trace, whatever span is active here.
      parent: parent ?? '',
      attributes: rpcAttributes(path),
    });
    try {
      const result = yield* iterateInSpan(
        telemetry,
        span,
        call.next(call.request, context) as Replies<Response>,
      );
      span.setAttributes(rpcStatusAttribute(0));
      return result;
    } catch (error) {
      const { code } = statusOf(error);
      span.setAttributes(rpcStatusAttribute(code));
      if (isServerFailure(kindFromGrpcCode(code))) span.fail(error, grpcStatusText(code));
      throw error;
    } finally {
      span.end();
    }
  }
}

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

import { grpcStatusText, isServerFailure, kindFromGrpcCode } from '@nodewright/fault';
import { rpcAttributes, rpcSpanName, rpcStatusAttribute, type Telemetry } from '@nodewright/telemetry';
import type { CallContext, ServerMiddleware, ServerMiddlewareCall } from 'nice-grpc';
import { iterateInSpan } from './iterate-in-span.ts';
import { statusOf } from './status-of.ts';
import { traceparentKey } from './traceparent-key.ts';

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

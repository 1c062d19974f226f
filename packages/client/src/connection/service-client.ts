import { metadataKeys, methodRule } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { CallOptions, Client, TsProtoServiceDefinition } from 'nice-grpc';
import { Metadata } from 'nice-grpc-common';
import { checkNodeName, quoteText } from '../node-name.ts';
import { throwReportedFailure } from '../throw-reported-failure.ts';
import type { CallRouter, RoutedMethod } from './call-router.ts';

export interface ServiceClientInit {
  readonly router: CallRouter;
  /** Sent with each call. A key that the options of a call set has precedence. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Checks that a value can be sent as a header. The library would fail with an error about its own internals.
 */
function checkValue(key: string, value: string): void {
  if (key === metadataKeys.node) checkNodeName(value);
  if (/^[\x20-\x7e]*$/.test(value)) return;
  throw new Fault(
    'invalid-argument',
    `${key} ${quoteText(value)} cannot be sent: it may contain only printable ASCII characters`,
  );
}

function mergeMetadata(own: Readonly<Record<string, string>>, options: CallOptions): CallOptions {
  const metadata = Metadata(options.metadata);
  for (const [key, value] of Object.entries(own)) {
    if (metadata.has(key)) continue;
    checkValue(key, value);
    metadata.set(key, value);
  }
  return { ...options, metadata };
}

async function* checked(replies: AsyncIterable<unknown>): AsyncGenerator<unknown, void, undefined> {
  for await (const reply of replies) {
    throwReportedFailure(reply);
    yield reply;
  }
}

/**
 * Creates a typed client of one service. When the metadata of a response or stream message reports a failure,
 * the call throws that failure. Every error is a Fault.
 */
export function createServiceClient<Service extends TsProtoServiceDefinition>(
  definition: Service,
  { router, metadata }: ServiceClientInit,
): Client<Service> {
  const methods = Object.entries(definition.methods).map(([key, { name, requestStream, responseStream }]) => {
    const rule = methodRule(`/${definition.fullName}/${name}`);
    const routed: RoutedMethod = {
      definition,
      key,
      // Treat a method without an entry in the table as one that may change the node.
      mutates: rule?.mutates ?? true,
      repeatable: !requestStream,
    };
    const call = responseStream
      ? (request: unknown, options: CallOptions = {}) =>
          checked(router.stream(routed, request, mergeMetadata(metadata, options)))
      : async (request: unknown, options: CallOptions = {}) => {
          const reply = await router.call(routed, request, mergeMetadata(metadata, options));
          throwReportedFailure(reply);
          return reply;
        };
    return [key, call];
  });
  return Object.fromEntries(methods) as Client<Service>;
}

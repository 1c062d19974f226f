import type { CallOptions, Client, TsProtoServiceDefinition } from 'nice-grpc';
import { callFaultFrom } from './call-fault.ts';

type Method = (request: unknown, options?: CallOptions) => unknown;

/** Wraps a client so that each failure of a call names the node, and the hop if it is known. */
export function nameFailures<Service extends TsProtoServiceDefinition>(
  definition: Service,
  client: Client<Service>,
  node: string,
): Client<Service> {
  const methods = Object.entries(definition.methods).map(([key, { responseStream }]) => {
    const method = (client as Readonly<Record<string, Method>>)[key] as Method;
    const named: Method = responseStream
      ? (request, options) => namedStream(method(request, options) as AsyncIterable<unknown>, node)
      : async (request, options) => {
          try {
            return await method(request, options);
          } catch (error) {
            throw callFaultFrom(error, node);
          }
        };
    return [key, named];
  });
  return Object.fromEntries(methods) as Client<Service>;
}

async function* namedStream(
  replies: AsyncIterable<unknown>,
  node: string,
): AsyncGenerator<unknown, void, undefined> {
  try {
    yield* replies;
  } catch (error) {
    throw callFaultFrom(error, node);
  }
}

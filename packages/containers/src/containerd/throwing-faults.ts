import type { Client, CompatServiceDefinition } from 'nice-grpc';
import { runtimeFault } from './runtime-fault.ts';

type Call = (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

export interface ThrowingFaultsInit<Service extends CompatServiceDefinition> {
  readonly definition: Service;
  readonly client: Client<Service>;
  /** Awaited before each call. */
  readonly ready: () => Promise<void>;
}

/** The same client, whose calls fail with what `runtimeFault` makes of it. */
export function throwingFaults<Service extends CompatServiceDefinition>({
  definition,
  client,
  ready,
}: ThrowingFaultsInit<Service>): Client<Service> {
  const methods = definition.methods as Readonly<Record<string, { readonly responseStream: boolean }>>;
  const calls = Object.entries(client as Readonly<Record<string, Call>>).map(
    ([name, call]): [string, Call] => [
      name,
      (...args) =>
        methods[name]?.responseStream === true ? stream(call, args, ready) : once(call, args, ready),
    ],
  );
  return Object.fromEntries(calls) as Client<Service>;
}

async function once(call: Call, args: unknown[], ready: () => Promise<void>): Promise<unknown> {
  await ready();
  try {
    return await call(...args);
  } catch (error) {
    throw runtimeFault(error);
  }
}

async function* stream(call: Call, args: unknown[], ready: () => Promise<void>): AsyncGenerator<unknown> {
  await ready();
  try {
    yield* call(...args) as AsyncIterable<unknown>;
  } catch (error) {
    throw runtimeFault(error);
  }
}

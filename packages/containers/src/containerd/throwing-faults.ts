import { Deadline, unlessAborted } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { Client, CompatServiceDefinition } from 'nice-grpc';
import type { CallOptions } from '../container-runtime.ts';
import { runtimeFault } from './runtime-fault.ts';

type Call = (request: unknown, options?: CallOptions) => Promise<unknown> | AsyncIterable<unknown>;
type Arguments = Parameters<Call>;

export interface ThrowingFaultsInit<Service extends CompatServiceDefinition> {
  readonly definition: Service;
  readonly client: Client<Service>;
  /** Awaited before each call; counts towards its time limit. */
  readonly ready: () => Promise<void>;
  /** Time limit of a unary call in ms, by its name: `Tasks/Get`. */
  readonly limitMsOf: (name: string) => number;
}

interface Target {
  readonly name: string;
  readonly call: Call;
  readonly ready: () => Promise<void>;
  readonly limitMs: number;
}

/**
 * A client whose calls fail with the result of `runtimeFault`. A call to a hung containerd fails with
 * `deadline-exceeded`, except a stream, which ends with its signal only.
 */
export function throwingFaults<Service extends CompatServiceDefinition>({
  definition,
  client,
  ready,
  limitMsOf,
}: ThrowingFaultsInit<Service>): Client<Service> {
  const { name: service, methods } = definition as unknown as {
    readonly name: string;
    readonly methods: Readonly<Record<string, { readonly name: string; readonly responseStream: boolean }>>;
  };
  const calls = Object.entries(client as Readonly<Record<string, Call>>).map(
    ([key, call]): [string, Call] => {
      const name = `${service}/${methods[key]?.name ?? key}`;
      const target = { name, call, ready, limitMs: limitMsOf(name) };
      const isStream = methods[key]?.responseStream === true;
      return [key, (...args) => (isStream ? stream(target, args) : once(target, args))];
    },
  );
  return Object.fromEntries(calls) as Client<Service>;
}

async function once(
  { name, call, ready, limitMs }: Target,
  [request, options = {}]: Arguments,
): Promise<unknown> {
  using deadline = new Deadline(limitMs, options.signal);
  const { signal } = deadline;
  try {
    await unlessAborted(ready(), signal);
    return await call(request, { ...options, signal });
  } catch (error) {
    if (!deadline.isOver || options.signal?.aborted === true) throw runtimeFault(error);
    const text = `containerd has not answered ${name} within ${limitMs / 1000}s: it hangs, or its disk does`;
    throw new Fault('deadline-exceeded', text, { cause: error });
  }
}

async function* stream({ call, ready }: Target, [request, options = {}]: Arguments): AsyncGenerator<unknown> {
  try {
    await unlessAborted(ready(), options.signal);
    yield* call(request, options) as AsyncIterable<unknown>;
  } catch (error) {
    throw runtimeFault(error);
  }
}

import type { Controller } from '@nodewright/controllers';
import type { ImplementedServices } from './rpc/complete-services.ts';

/** What a topic, such as `files`, adds to the node: its opener returns this, and the composition root passes it on. */
export interface Topic {
  readonly controllers: readonly Controller[];
  /** The methods that the topic serves, by full name of the service. */
  readonly api: ImplementedServices;
}

/** Merges the methods of several topics into one API. Throws when two topics serve the same method. */
export function mergeApis(apis: readonly ImplementedServices[]): ImplementedServices {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const [service, methods] of apis.flatMap((api) => Object.entries(api))) {
    const known = merged[service] ?? {};
    merged[service] = known;
    for (const [name, method] of Object.entries(methods)) {
      if (Object.hasOwn(known, name)) throw new Error(`${service} has two methods ${name}`);
      known[name] = method;
    }
  }
  return merged;
}

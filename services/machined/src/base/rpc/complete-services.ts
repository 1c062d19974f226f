import { channel } from 'node:diagnostics_channel';
import { Fault } from '@nodewright/fault';
import type { RpcService } from '@nodewright/rpc';
import { serviceDefinitions } from './service-definitions.ts';

/** The handlers that exist, by full name of the service and key of the method in its definition. */
export type ImplementedServices = {
  readonly [Name in (typeof serviceDefinitions)[number]['fullName']]?: object;
};

/** Where the full names of the methods that have a handler are told to whoever looks on; docs/api.md is made so. */
const apiChannel = channel('nodewright:machined:api');

interface MethodShape {
  readonly name: string;
  readonly responseStream: boolean;
}

/**
 * Every service of the socket, each with all of its methods: those that are not built yet answer UNIMPLEMENTED with
 * their name. So a caller's role is checked for each of them alike.
 */
export function completeServices(implemented: ImplementedServices): RpcService[] {
  if (apiChannel.hasSubscribers) apiChannel.publish(implementedMethods(implemented));
  return serviceDefinitions.map((definition) => {
    const handlers: Record<string, unknown> = {};
    for (const [key, method] of Object.entries<MethodShape>(definition.methods)) {
      handlers[key] = unimplemented(`/${definition.fullName}/${method.name}`, method);
    }
    return { definition, implementation: { ...handlers, ...implemented[definition.fullName] } };
  });
}

function implementedMethods(implemented: ImplementedServices): string[] {
  return serviceDefinitions.flatMap(({ fullName, methods }) =>
    Object.entries<MethodShape>(methods)
      .filter(([key]) => Object.hasOwn(implemented[fullName] ?? {}, key))
      .map(([, { name }]) => `/${fullName}/${name}`),
  );
}

function unimplemented(path: string, { responseStream }: MethodShape): unknown {
  const refuse = (): never => {
    throw new Fault('unimplemented', `method ${path} is not implemented`);
  };
  const refuseStream = async function* () {
    yield refuse();
  };
  return responseStream ? refuseStream : async () => refuse();
}

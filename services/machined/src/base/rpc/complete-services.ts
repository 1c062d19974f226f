import { channel } from 'node:diagnostics_channel';
import { methodRule } from '@nodewright/contract';
import { machineServices } from '@nodewright/contract/machine-services';
import { Fault } from '@nodewright/fault';
import type { RpcService } from '@nodewright/rpc';

/** The implemented handlers, by full name of the service and by key of the method in the service definition. */
export type ImplementedServices = {
  readonly [Name in (typeof machineServices)[number]['fullName']]?: object;
};

/** Publishes the full names of all methods that have a handler. The generator of docs/api.md subscribes to it. */
const apiChannel = channel('nodewright:machined:api');

interface MethodShape {
  readonly name: string;
  readonly responseStream: boolean;
}

/**
 * Returns every service of the socket with all of its methods. A method without a handler answers
 * UNIMPLEMENTED, with its name and the reason in the method table. So the caller's role is checked for every
 * method alike.
 */
export function completeServices(implemented: ImplementedServices): RpcService[] {
  if (apiChannel.hasSubscribers) apiChannel.publish(implementedMethods(implemented));
  return machineServices.map((definition) => {
    const handlers: Record<string, unknown> = {};
    for (const [key, method] of Object.entries<MethodShape>(definition.methods)) {
      handlers[key] = unimplemented(`/${definition.fullName}/${method.name}`, method);
    }
    return { definition, implementation: { ...handlers, ...implemented[definition.fullName] } };
  });
}

function implementedMethods(implemented: ImplementedServices): string[] {
  return machineServices.flatMap(({ fullName, methods }) =>
    Object.entries<MethodShape>(methods)
      .filter(([key]) => Object.hasOwn(implemented[fullName] ?? {}, key))
      .map(([, { name }]) => `/${fullName}/${name}`),
  );
}

function unimplemented(path: string, { responseStream }: MethodShape): unknown {
  const refuse = (): never => {
    const reason = methodRule(path)?.notImplemented;
    const because = reason === undefined ? '' : `: ${reason}`;
    throw new Fault('unimplemented', `method ${path} is not implemented${because}`);
  };
  const refuseStream = async function* () {
    yield refuse();
  };
  return responseStream ? refuseStream : async () => refuse();
}

import { channel } from 'node:diagnostics_channel';
import { methodRule } from '@nodewright/contract';
import { machineServices } from '@nodewright/contract/machine-services';
import { Fault } from '@nodewright/fault';
import type { RpcService } from '@nodewright/rpc';

/** The handlers that exist, by full name of the service and key of the method in its definition. */
export type ImplementedServices = {
  readonly [Name in (typeof machineServices)[number]['fullName']]?: object;
};

/** Where the full names of the methods that have a handler are told to whoever looks on; docs/api.md is made so. */
const apiChannel = channel('nodewright:machined:api');

interface MethodShape {
  readonly name: string;
  readonly responseStream: boolean;
}

/**
 * Every service of the socket, each with all of its methods: those without a handler answer UNIMPLEMENTED with
 * their name and the reason of the method table. So a caller's role is checked for each of them alike.
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

import { type Controller, shared, weak } from '@nodewright/controllers';
import { type KindRef, pointerTo } from '@nodewright/state';
import {
  addressSpecs,
  hostnameSpecs,
  linkSpecs,
  linkStatuses,
  operatorSpecs,
  resolverSpecs,
  routeSpecs,
  services,
  timeServerSpecs,
} from '@nodewright/state/kinds';
import { addressId, routeId } from '../domain/network-ids.ts';
import type { NetworkOperator, OperatorOutput } from '../domain/operator.ts';
import { inLayers } from './network-config.ts';
import type { NetworkProblems } from './network-problems.ts';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';

export interface OperatorSpecInit {
  /** Opens the kernel's network. */
  readonly network: OpenNetwork;
  readonly operators: readonly NetworkOperator[];
  readonly problems: NetworkProblems;
}

/**
 * Runs the operators, and publishes the specifications that they make of events. Source: Talos v1.14: network.OperatorSpecController.
 */
export function createOperatorSpecController(init: OperatorSpecInit): Controller {
  const { network, operators, problems } = init;
  return {
    name: 'network.OperatorSpecController',
    inputs: [
      ...[weak(operatorSpecs), weak(linkStatuses), weak(services)],
      weak(hostnameSpecs, hostnameSpecs.singleton),
    ],
    outputs: [
      ...[addressSpecs, linkSpecs, routeSpecs].map(shared),
      ...[hostnameSpecs, resolverSpecs, timeServerSpecs].map(shared),
    ],
    async open(source, scope) {
      for (const operator of operators) scope.use(operator.watch(() => source.wake()));
      await openKernelWatch(network, ['link'])?.(source, scope);
    },
    async reconcile(pass) {
      const byId = async <S>(kind: KindRef<S>) =>
        new Map((await pass.list(kind)).map(({ metadata, spec }) => [metadata.id, spec]));
      const events = {
        operators: [...(await byId(operatorSpecs)).values()],
        links: await byId(linkStatuses),
        kernelLinks: (await network()).links(),
        services: await byId(services),
        hostname: (await pass.get(pointerTo(hostnameSpecs)))?.spec,
        log: pass.log,
      };
      for (const operator of operators) operator.react(events);
      const outputs = operators.flatMap((operator) => operator.outputs());
      const put = <S>(
        kind: KindRef<S>,
        specsOf: (output: OperatorOutput) => readonly NoInfer<S>[],
        idOf: (spec: NoInfer<S>) => string,
      ) => {
        // Of two specifications with one id, the later counts.
        const specs = outputs.flatMap((output) =>
          specsOf(output).map((spec) => [`${output.prefix}/${idOf(spec)}`, spec] as const),
        );
        return pass.replace(
          inLayers(kind),
          [...new Map(specs)].map(([id, spec]) => ({ id, spec })),
        );
      };
      // An address whose link nothing makes is a problem.
      await put(
        linkSpecs,
        ({ links = [] }) => links,
        ({ name }) => name,
      );
      await put(
        addressSpecs,
        ({ addresses = [] }) => addresses,
        ({ linkName, address }) => addressId(linkName, address),
      );
      await put(routeSpecs, ({ routes = [] }) => routes, routeId);
      await put(
        hostnameSpecs,
        ({ hostname }) => (hostname === undefined ? [] : [hostname]),
        () => hostnameSpecs.singleton,
      );
      await put(
        resolverSpecs,
        ({ resolvers }) => (resolvers === undefined ? [] : [resolvers]),
        () => resolverSpecs.singleton,
      );
      await put(
        timeServerSpecs,
        ({ timeServers }) => (timeServers === undefined ? [] : [timeServers]),
        () => timeServerSpecs.singleton,
      );
      // After the specifications, so that a machine which is about to get an address does not report a problem.
      problems.set(
        'operators',
        operators.flatMap((operator) => operator.problems()),
      );
    },
  };
}

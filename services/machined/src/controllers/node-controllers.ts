import { ports } from '@nodewright/contract';
import type { Controller } from '@nodewright/controllers';
import type { Telemetry } from '@nodewright/telemetry';
import { listenAddressOf, type NodeFacts } from '../domain/node-facts.ts';
import { secretsControllers } from './secrets/secrets-controllers.ts';

export interface NodeControllersInit {
  readonly node: NodeFacts;
  readonly telemetry: Telemetry;
}

/** Every controller of a node but those of its configuration, with the hands that they have on this host. */
export function nodeControllers(init: NodeControllersInit): Controller[] {
  const { node, telemetry } = init;
  const { mode } = node;
  return [
    ...secretsControllers({
      apidListenAddress: listenAddressOf(node, ports.apid),
      random: Math.random,
      telemetry,
      // The kernel gives this one to every connection within the host, whatever address the node has of its own.
      etcdPeerSources: mode === 'process' ? ['127.0.0.1'] : [],
    }),
  ];
}

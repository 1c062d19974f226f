import { ports, serviceIds } from '@nodewright/contract';
import { listenAddressOf, localAddressOf, type NodeFacts } from '../../base/domain/node-facts.ts';
import type { RuntimeDaemon } from '../domain/daemon-command.ts';

/** `host:port` on which a daemon listens: registryd for programs of the node only. */
export function daemonAddress(daemon: RuntimeDaemon, node: NodeFacts): string {
  const addressOf = daemon === serviceIds.registryd ? localAddressOf : listenAddressOf;
  return addressOf(node, ports[daemon]);
}

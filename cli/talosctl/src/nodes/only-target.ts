import type { NodeClient, TalosClient } from '@nodewright/client';
import { UsageFault } from '../context/failure.ts';

/** The target of a command that works on one node. @throws UsageFault when there are several */
export function onlyTarget(client: TalosClient, command: string): NodeClient {
  const [target] = client.targets;
  if (target === undefined || client.targets.length > 1) {
    throw new UsageFault(
      `command ${command} works on one node, and ${client.targets.length} are named: choose one with --nodes`,
    );
  }
  return target;
}

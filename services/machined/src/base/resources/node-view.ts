import type { EffectiveConfig } from '@nodewright/machine-config';
import { followResource, pointerTo, type State } from '@nodewright/state';
import { hostnameStatuses, machineConfigs, nodeAddresses } from '@nodewright/state/kinds';
import { activeConfigId, decodedOnce } from '../controllers/configuration-of.ts';

/** The current state of the node, as the handlers of calls need it, read from its resources. */
export interface NodeView {
  /** With the domain, if there is one; empty until the host name is known. */
  hostname(): string;
  /** The preferred address first, without prefix lengths. */
  addresses(): readonly string[];
  /** The values of the configuration in force, complete or not; `undefined` when there is none. They hold secrets. */
  configuration(): EffectiveConfig | undefined;
}

/** Opens a view. Resolves when the first values are known; the caller disposes the view. */
export async function openNodeView(state: State): Promise<NodeView & AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const hostname = undo.use(await followResource(state, pointerTo(hostnameStatuses)));
  const addresses = undo.use(await followResource(state, pointerTo(nodeAddresses, 'current')));
  const configuration = undo.use(await followResource(state, pointerTo(machineConfigs, activeConfigId)));
  const scope = undo.move();
  return {
    hostname() {
      const { hostname: name = '', domainname: domain = '' } = hostname.current()?.spec ?? {};
      return domain === '' ? name : `${name}.${domain}`;
    },
    addresses: () => addresses.current()?.spec.addresses.map((cidr) => cidr.replace(/\/.*/, '')) ?? [],
    configuration() {
      const resource = configuration.current();
      return resource && decodedOnce(resource).effective;
    },
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

/** Whether the configuration in force makes the node a control plane. */
export function isControlPlaneNow(view: Pick<NodeView, 'configuration'>): boolean {
  return isControlPlaneType(view.configuration()?.machineType);
}

/** Whether a machine of this type is a control plane; `undefined` stands for a node without a configuration. */
export function isControlPlaneType(type: EffectiveConfig['machineType'] | undefined): boolean {
  return type === 'init' || type === 'controlplane';
}

import { ConfigReader, type EffectiveConfig } from '@nodewright/machine-config';
import { pointerTo, type State } from '@nodewright/state';
import { hostnameStatuses, machineConfigs, nodeAddresses } from '@nodewright/state/kinds';
import { activeConfigId, decodedOnce } from '../controllers/configuration-of.ts';
import { followResource } from './follow-resource.ts';

/** What calls have to know of the node while they are answered: its resources as they are now. */
export interface NodeView {
  /** With the domain, where there is one; empty until it is known. */
  hostname(): string;
  /** The preferred one first, without lengths of prefixes. */
  addresses(): readonly string[];
  /** The values of the configuration in force, complete or not; undefined when there is none. They hold secrets. */
  configuration(): EffectiveConfig | undefined;
  /** Whether the configuration in force has a document of this kind. */
  hasDocument(kind: string): boolean;
}

/** Resolves when everything that is there is known; the caller disposes it. */
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
    hasDocument(kind) {
      const resource = configuration.current();
      return (
        resource !== undefined && new ConfigReader(decodedOnce(resource).documents).documents(kind).length > 0
      );
    },
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

/** Whether the configuration makes it a control plane. */
export function isControlPlaneNow(view: Pick<NodeView, 'configuration'>): boolean {
  return isControlPlaneType(view.configuration()?.machineType);
}

/** Whether a machine of this type is a control plane; `undefined` is the type of a node without a configuration. */
export function isControlPlaneType(type: EffectiveConfig['machineType'] | undefined): boolean {
  return type === 'init' || type === 'controlplane';
}

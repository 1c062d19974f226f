// The only place that changes the network of a node.
import {
  addAddress,
  addRoute,
  addRule,
  announceAddress,
  changeLink,
  changeLinkFeatures,
  createLink,
  lendAddress,
  loadNativeCalls,
  type NativeCalls,
  removeAddress,
  removeLink,
  removeRoute,
  removeRule,
  replaceAddress,
  returnAddress,
  setLinkUp,
  setWireguard,
} from '@nodewright/linux';
import { addressBytes } from '../../base/domain/prefix.ts';
import type { NetworkStepKind } from '../../base/domain/world.ts';
import type { NetworkStep } from '../domain/network-step.ts';

type StepOf<K extends NetworkStepKind> = Extract<NetworkStep, { readonly kind: K }>;
type Executors = { readonly [K in NetworkStepKind]: (calls: NativeCalls, step: StepOf<K>) => void };

/** Changes the network by the steps that the kind of the node has. */
export interface NetworkPort {
  /**
   * Takes a step. It returns when the kernel has done it.
   *
   * @throws Fault `unavailable` when the kernel refuses; TypeError for a step that the kind of the node does not have
   */
  apply(step: NetworkStep): void;
}

const executors: Executors = {
  'set-link-up': (calls, { linkIndex }) => setLinkUp(calls, linkIndex),
  'set-link-down': (calls, { linkIndex }) => changeLink(calls, linkIndex, { up: false }),
  'create-link': (calls, { creation }) => createLink(calls, creation),
  'change-link': (calls, { linkIndex, change }) => changeLink(calls, linkIndex, change),
  'configure-wireguard': (calls, { linkIndex, wireguard }) => setWireguard(calls, linkIndex, wireguard),
  'change-features': (calls, { linkIndex, features }) => changeLinkFeatures(calls, linkIndex, features),
  'remove-link': (calls, { linkIndex }) => removeLink(calls, linkIndex),
  'add-address': (calls, { address }) => addAddress(calls, address),
  'replace-address': (calls, { address }) => replaceAddress(calls, address),
  'remove-address': (calls, { address }) => removeAddress(calls, address),
  'add-route': (calls, { route }) => addRoute(calls, route),
  'remove-route': (calls, { route }) => removeRoute(calls, route),
  'add-rule': (calls, { rule }) => addRule(calls, rule),
  'remove-rule': (calls, { rule }) => removeRule(calls, rule),
  'lend-address': (calls, { linkIndex, address, lifetimeSeconds }) =>
    lendAddress(calls, linkIndex, { address: addressBytes(address), lifetimeSeconds }),
  'return-address': (calls, { linkIndex, address }) => returnAddress(calls, linkIndex, addressBytes(address)),
  'announce-address': (calls, { link, address }) => announceAddress(calls, link, addressBytes(address)),
};

/**
 * The port to the network of this process, for these steps and no others. It loads the add-on for system calls.
 *
 * @throws Fault `failed-precondition` when that fails
 */
export async function openNetworkPort(kinds: readonly NetworkStepKind[]): Promise<NetworkPort> {
  const calls = await loadNativeCalls();
  const allowed = new Map(kinds.map((kind) => [kind, executors[kind] as (typeof executors)[typeof kind]]));
  return {
    apply(step) {
      const execute = allowed.get(step.kind) as ((calls: NativeCalls, step: NetworkStep) => void) | undefined;
      if (execute === undefined) throw new TypeError(`a node of this kind has no step ${step.kind}`);
      execute(calls, step);
    },
  };
}

// What can be done to the network of a node, as data: planners return it, and the port of the network executes it.
import type {
  AddressChange,
  KernelLink,
  KernelRoute,
  KernelRule,
  LinkChange,
  LinkCreation,
  WireguardChange,
} from '@nodewright/linux/network';
import type { NetworkStepKind } from '../../base/domain/world.ts';
import { shownName } from './link-plan/shown-name.ts';

interface LinkStep {
  readonly kind: Extract<NetworkStepKind, 'set-link-up' | 'set-link-down' | 'remove-link'>;
  readonly linkName: string;
  readonly linkIndex: number;
}

interface CreateLinkStep {
  readonly kind: Extract<NetworkStepKind, 'create-link'>;
  readonly creation: LinkCreation;
}

interface ChangeLinkStep {
  readonly kind: Extract<NetworkStepKind, 'change-link'>;
  readonly linkName: string;
  readonly linkIndex: number;
  readonly change: LinkChange;
}

interface WireguardStep {
  readonly kind: Extract<NetworkStepKind, 'configure-wireguard'>;
  readonly linkName: string;
  readonly linkIndex: number;
  readonly wireguard: WireguardChange;
}

interface ChangeFeaturesStep {
  readonly kind: Extract<NetworkStepKind, 'change-features'>;
  readonly linkName: string;
  readonly linkIndex: number;
  /** Whether each is on, by its name. */
  readonly features: Readonly<Record<string, boolean>>;
}

interface RuleStep {
  readonly kind: Extract<NetworkStepKind, 'add-rule' | 'remove-rule'>;
  readonly rule: KernelRule;
}

interface AddressStep {
  readonly kind: Extract<NetworkStepKind, 'add-address' | 'replace-address' | 'remove-address'>;
  readonly linkName: string;
  readonly address: AddressChange;
}

interface RouteStep {
  readonly kind: Extract<NetworkStepKind, 'add-route' | 'remove-route'>;
  readonly route: KernelRoute;
}

interface LendStep {
  readonly kind: Extract<NetworkStepKind, 'lend-address'>;
  readonly linkIndex: number;
  /** Without a prefix length. */
  readonly address: string;
  readonly lifetimeSeconds: number;
}

interface ReturnStep {
  readonly kind: Extract<NetworkStepKind, 'return-address'>;
  readonly linkIndex: number;
  readonly address: string;
}

interface AnnounceStep {
  readonly kind: Extract<NetworkStepKind, 'announce-address'>;
  readonly link: Pick<KernelLink, 'index' | 'hardwareType' | 'hardwareAddress'>;
  readonly address: string;
}

/** One change of the kernel's network. */
export type NetworkStep =
  | LinkStep
  | CreateLinkStep
  | ChangeLinkStep
  | WireguardStep
  | ChangeFeaturesStep
  | AddressStep
  | RouteStep
  | RuleStep
  | LendStep
  | ReturnStep
  | AnnounceStep;

/** What a planner answers. `Memory` is what it has to know of its earlier plans. */
export interface NetworkPlan<Memory = ReadonlySet<string>> {
  /** To be taken in this order. One that fails stops none of the others. */
  readonly steps: readonly NetworkStep[];
  /** Why the node cannot apply a specification now, one text for each. An event of the kernel makes a new plan. */
  readonly waiting: readonly string[];
  /** The same of specifications that need another one, which says itself why it is not applied. */
  readonly deferred?: readonly string[];
  /**
   * What belongs to the specifications from before the first step on: what they name, and what they named and the kernel
   * still has. It is given to the next plan. For addresses, routes and rules it is a set of keys.
   */
  readonly owned: Memory;
}

/** A step in words, such as `add-address 10.0.0.2/24 on eth0`. */
export function describeStep(step: NetworkStep): string {
  const { kind } = step;
  if ('route' in step) {
    const { destination, gateway, priority } = step.route;
    return `${kind} ${destination || 'default'}${gateway === '' ? '' : ` via ${gateway}`} metric ${priority}`;
  }
  if ('creation' in step) return `${kind} ${step.creation.name} of the kind ${step.creation.kind}`;
  if ('change' in step) return `${kind} ${step.linkName} ${describeChange(step.change)}`;
  if ('wireguard' in step) return `${kind} ${step.linkName} ${describeWireguard(step.wireguard)}`;
  if ('features' in step) {
    const changes = Object.entries(step.features).map(([name, isOn]) => `${name} ${isOn ? 'on' : 'off'}`);
    return `${kind} ${step.linkName} ${changes.join(', ')}`;
  }
  if ('rule' in step) return `${kind} ${step.rule.priority}`;
  if ('linkName' in step)
    return 'address' in step
      ? `${kind} ${step.address.address}/${step.address.prefixLength} on ${step.linkName}`
      : `${kind} ${step.linkName}`;
  return `${kind} ${step.address}`;
}

/** `mtu 1400`, `its options`. */
function describeChange(change: LinkChange): string {
  const { options, masterIndex, alias, ...rest } = change;
  const words = [
    ...Object.entries(rest).map(([name, value]) => `${wordsOf[name as keyof typeof wordsOf]} ${value}`),
    // That of somebody else, which is put back, may have control characters.
    ...(alias === undefined ? [] : [`alias ${shownName(alias)}`]),
    ...(masterIndex === undefined ? [] : [masterIndex === 0 ? 'out of its master' : 'into its master']),
    ...(options === undefined ? [] : [`options of the ${options.kind}`]),
  ];
  return words.join(', ');
}

const wordsOf: Readonly<Record<Exclude<keyof LinkChange, 'options' | 'masterIndex' | 'alias'>, string>> = {
  ...{ up: 'up', mtu: 'mtu', hardwareAddress: 'address', multicast: 'multicast' },
};

/** `its private key, port 51820, 3 peers`: without keys. */
function describeWireguard({ privateKey, listenPort, firewallMark, peers = [] }: WireguardChange): string {
  const words = [
    ...(privateKey === undefined ? [] : ['its private key']),
    ...(listenPort === undefined ? [] : [`port ${listenPort}`]),
    ...(firewallMark === undefined ? [] : [`firewall mark ${firewallMark}`]),
    ...(peers.length === 0 ? [] : [peers.length === 1 ? '1 peer' : `${peers.length} peers`]),
  ];
  return words.join(', ');
}

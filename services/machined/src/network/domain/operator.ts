// An operator turns events into specifications: the command line at the start, the elections of virtual addresses, the messages of
// DHCP servers. All of them stand behind one port. Source: Talos v1.14: network.OperatorSpecController.
import type { KernelLink } from '@nodewright/linux/network';
import type {
  AddressSpecSpec,
  HostnameSpecSpec,
  LinkSpecSpec,
  LinkStatusSpec,
  OperatorSpecSpec,
  ResolverSpecSpec,
  RouteSpecSpec,
  ServiceSpec,
  TimeServerSpecSpec,
} from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';

/** What has happened on the node, for all operators. */
export interface OperatorEvents {
  /** The merged specifications of operators. */
  readonly operators: readonly OperatorSpecSpec[];
  /** By name, in the order of the names. They are published one after the other, so some may be missing for a moment. */
  readonly links: ReadonlyMap<string, LinkStatusSpec>;
  /** All links that the kernel has now. */
  readonly kernelLinks: readonly KernelLink[];
  readonly services: ReadonlyMap<string, ServiceSpec>;
  /** The merged name of the node; undefined while it has none. */
  readonly hostname: HostnameSpecSpec | undefined;
  readonly log: Logger;
}

/** Specifications of an operator in one layer, `cmdline` or `operator`. */
export interface OperatorOutput {
  /** The first part of their ids, such as `cmdline` or `vip/eth0`. Two outputs have different ones. */
  readonly prefix: string;
  readonly addresses?: readonly AddressSpecSpec[];
  readonly links?: readonly LinkSpecSpec[];
  readonly routes?: readonly RouteSpecSpec[];
  /** At most one of each. */
  readonly hostname?: HostnameSpecSpec | undefined;
  readonly resolvers?: ResolverSpecSpec | undefined;
  readonly timeServers?: TimeServerSpecSpec | undefined;
}

/**
 * What a problem keeps away: the addresses of the machine, or something else, such as a route. `no-request`: nothing asks for an
 * address, or only a link that asks by default, such as one without a cable. That is a problem only of a machine that has none.
 */
export type ProblemSubject = 'addresses' | 'others' | 'no-request';

/** Why a part of the network is not as it was asked for, in one line. */
export interface NetworkProblem {
  readonly subject: ProblemSubject;
  readonly line: string;
}

/** A source of specifications. It never touches a resource itself. */
export interface NetworkOperator {
  /** Calls `onChange` when the outputs have changed by themselves. There is one listener at a time. */
  watch(onChange: () => void): Disposable;
  /** Called at the start, and after each change of these facts. */
  react(events: OperatorEvents): void;
  /** What the operator wants now. */
  outputs(): readonly OperatorOutput[];
  /** Why the node has less than it was told to have. */
  problems(): readonly NetworkProblem[];
}

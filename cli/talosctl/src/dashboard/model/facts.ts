import type {
  DiagnosticSpec,
  HostnameStatusSpec,
  InfoSpec,
  LinkStatusSpec,
  MachineStatusSpec,
  MachineTypeSpec,
  MemberSpec,
  NetworkStatusSpec,
  NodeAddressSpec,
  ResolverStatusSpec,
  RouteStatusSpec,
  SecurityStateSpec,
  SpecExplanationSpec,
  StaticPodStatusSpec,
  SystemInformationSpec,
  TimeServerStatusSpec,
  VersionSpec,
} from '@nodewright/state/kinds';

/** A resource of a kind that is followed as a whole. */
export interface Listed<S> {
  readonly id: string;
  readonly spec: S;
}

/** The resources that describe a node. Those that are missing, or may not be read, are undefined. */
export interface Facts {
  readonly status?: MachineStatusSpec;
  readonly type?: MachineTypeSpec;
  readonly hostname?: HostnameStatusSpec;
  readonly version?: VersionSpec;
  readonly security?: SecurityStateSpec;
  readonly cluster?: InfoSpec;
  readonly network?: NetworkStatusSpec;
  readonly resolvers?: ResolverStatusSpec;
  readonly timeServers?: TimeServerStatusSpec;
  readonly machine?: SystemInformationSpec;
  /** What the node does with the addresses of its configuration. */
  readonly explained?: SpecExplanationSpec;
  readonly members?: readonly Listed<MemberSpec>[];
  readonly addresses?: readonly Listed<NodeAddressSpec>[];
  readonly routes?: readonly Listed<RouteStatusSpec>[];
  readonly links?: readonly Listed<LinkStatusSpec>[];
  readonly diagnostics?: readonly Listed<DiagnosticSpec>[];
  readonly pods?: readonly Listed<StaticPodStatusSpec>[];
}

export type FactName = keyof Facts;

/** Followed on every node, for the list of nodes. The other kinds are followed on the selected node only. */
export const everywhere: readonly FactName[] = ['status', 'type', 'hostname', 'version', 'explained'];

/**
 * Whether the node is a set of processes on a host that it shares: its processors, memory, load, devices and processes are those of that
 * host. Such a node says so where it explains why it leaves the addresses alone.
 */
export const sharesHost = ({ explained }: Facts): boolean =>
  explained?.unmanaged.includes('processes on a shared host') === true;

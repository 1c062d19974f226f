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
  readonly members?: readonly Listed<MemberSpec>[];
  readonly addresses?: readonly Listed<NodeAddressSpec>[];
  readonly routes?: readonly Listed<RouteStatusSpec>[];
  readonly links?: readonly Listed<LinkStatusSpec>[];
  readonly diagnostics?: readonly Listed<DiagnosticSpec>[];
  readonly pods?: readonly Listed<StaticPodStatusSpec>[];
}

export type FactName = keyof Facts;

/** Followed on every node, for the list of nodes. The other kinds are followed on the selected node only. */
export const everywhere: readonly FactName[] = ['status', 'type', 'hostname', 'version'];

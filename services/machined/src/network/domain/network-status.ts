import type { NetworkStatusSpec, ProbeStatusSpec, RouteStatusSpec } from '@nodewright/state/kinds';

export interface NetworkFacts {
  readonly addresses: readonly string[];
  readonly hasHostname: boolean;
  /** The files below `/etc` that were written. */
  readonly etcFiles: readonly string[];
  readonly probes: readonly ProbeStatusSpec[];
  readonly routes: readonly RouteStatusSpec[];
  /** Whether all peers of the node are on the same host. */
  readonly isLocal: boolean;
}

const neededFiles = ['hosts', 'resolv.conf'];

/** Source: Talos v1.14: COSI resources, NetworkStatuses. */
export function networkStatusOf(facts: NetworkFacts): NetworkStatusSpec {
  const { addresses, hasHostname, etcFiles, probes, routes, isLocal } = facts;
  const hasAddress = addresses.length > 0;
  // A route stays when its link has lost its cable; the address of that link does not count any more.
  const hasRoute = hasAddress && (isLocal || routes.some(isDefaultRoute));
  return {
    addressReady: hasAddress,
    connectivityReady: probes.length > 0 ? probes.every(({ success }) => success) : hasRoute,
    hostnameReady: hasHostname,
    etcFilesReady: neededFiles.every((name) => etcFiles.includes(name)),
  };
}

/** A usable route: routes may also be unreachable or blackhole. */
function isDefaultRoute({ dst, type, table }: RouteStatusSpec): boolean {
  return dst === '' && type === 'unicast' && table !== 'local';
}

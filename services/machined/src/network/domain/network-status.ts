import type { NetworkStatusSpec, ProbeStatusSpec, RouteStatusSpec } from '@nodewright/state/kinds';

export interface NetworkFacts {
  readonly addresses: readonly string[];
  readonly hasHostname: boolean;
  /** Files below `/etc` that are written. */
  readonly etcFiles: readonly string[];
  readonly probes: readonly ProbeStatusSpec[];
  readonly routes: readonly RouteStatusSpec[];
  /** Whom the node talks to is on the same host. */
  readonly isLocal: boolean;
}

const neededFiles = ['hosts', 'resolv.conf'];

/** Source: Talos v1.14: COSI resources, NetworkStatuses. */
export function networkStatusOf(facts: NetworkFacts): NetworkStatusSpec {
  const { addresses, hasHostname, etcFiles, probes, routes, isLocal } = facts;
  const hasAddress = addresses.length > 0;
  const hasRoute = isLocal ? hasAddress : routes.some(isDefaultRoute);
  return {
    addressReady: hasAddress,
    connectivityReady: probes.length > 0 ? probes.every(({ success }) => success) : hasRoute,
    hostnameReady: hasHostname,
    etcFilesReady: neededFiles.every((name) => etcFiles.includes(name)),
  };
}

/** One that leads somewhere: a route may also say that there is no way. */
function isDefaultRoute({ dst, type, table }: RouteStatusSpec): boolean {
  return dst === '' && type === 'unicast' && table !== 'local';
}

import { systemTimers } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import { type AwaitedResource, type Condition, openResourceCondition } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  networkStatuses,
  type ServiceSpec,
  services,
  timeStatuses,
  trustdCertificates,
} from '@nodewright/state/kinds';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { metWithin } from './start-condition.ts';

/** Met when the clock is synchronised. Source: Talos v1.14: services, time sync. */
const timeSync = awaited({
  pointer: pointerTo(timeStatuses),
  text: 'time sync',
  isWanted: ({ synced }) => synced,
});

/** Met when the node has an address and a host name. Source: Talos v1.14: services, network. */
const network = awaited({
  pointer: pointerTo(networkStatuses),
  text: 'network',
  isWanted: ({ addressReady, hostnameReady }) => addressReady && hostnameReady,
});

/** The conditions of each daemon, in the order in which the history lists them. */
const conditionsOf: Readonly<Record<ChildDaemon, readonly OpenCondition[]>> = {
  [serviceIds.udevdBridge]: [],
  [serviceIds.apid]: [
    awaited({ pointer: pointerTo(apiCertificates), text: 'api certificates' }),
    awaited({ pointer: pointerTo(apiServiceConfigs), text: 'config to be ready' }),
  ],
  [serviceIds.trustd]: [
    timeSync,
    network,
    awaited({ pointer: pointerTo(trustdCertificates), text: 'trustd certificates' }),
  ],
  [serviceIds.registryd]: [],
};

/**
 * The first look at all devices keeps a small machine busy for seconds, so udevd-bridge lets the API answer first where it runs
 * udevd. An API that does not start must not keep the devices unknown.
 */
const apidLimitMs = 30_000;
const apidUp: OpenCondition = async (state, scope) => {
  const pointer = pointerTo(services, serviceIds.apid);
  const text = `service "${serviceIds.apid}" to be "up"`;
  const isWanted = ({ running, healthy }: ServiceSpec) => running && healthy;
  return metWithin(
    await openResourceCondition(state, { pointer, text, isWanted }, scope),
    apidLimitMs,
    systemTimers,
  );
};

type OpenCondition = (state: State, scope: AsyncDisposableStack) => Promise<Condition>;

/** Hides the type of the spec, so that conditions for resources of different kinds fit into one table. */
function awaited<S>(resource: AwaitedResource<S>): OpenCondition {
  return (state, scope) => openResourceCondition(state, resource, scope);
}

/**
 * Opens the conditions that a daemon waits for before it starts. Source: Talos v1.14: apid, trustd, conditions.
 *
 * @param hasUdevd whether udevd-bridge runs udevd
 */
export function openDaemonConditions(
  daemon: ChildDaemon,
  state: State,
  hasUdevd: boolean,
  scope: AsyncDisposableStack,
): Promise<Condition[]> {
  const isLate = daemon === serviceIds.udevdBridge && hasUdevd;
  return Promise.all((isLate ? [apidUp] : conditionsOf[daemon]).map((open) => open(state, scope)));
}

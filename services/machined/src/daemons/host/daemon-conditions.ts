import { systemTimers, type Timers } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import { type AwaitedResource, type Condition, openResourceCondition } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  hardwareAddresses,
  networkStatuses,
  type ServiceSpec,
  services,
  timeStatuses,
  trustdCertificates,
} from '@nodewright/state/kinds';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { metUnless, metWithin } from './start-condition.ts';

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
 * udevd. An API that does not start must not keep the devices unknown. Nor may it wait for the network of a machine whose network device has no
 * driver yet, which udevd-bridge loads: without a network the API of a worker does not start.
 */
const apidLimitMs = 30_000;
/** A machine that has no network device after this time may have one without a driver. */
const deviceLimitMs = 2000;
/** So may one that has no address after this time: a DHCP server is asked, and the address is probed. */
const addressLimitMs = 8000;

async function openApidUp(state: State, timers: Timers, scope: AsyncDisposableStack): Promise<Condition> {
  const isWanted = ({ running, healthy }: ServiceSpec) => running && healthy;
  const text = `service "${serviceIds.apid}" to be "up"`;
  const [up, device, address] = await Promise.all([
    openResourceCondition(state, { pointer: pointerTo(services, serviceIds.apid), text, isWanted }, scope),
    openResourceCondition(state, { pointer: pointerTo(hardwareAddresses), text: 'a network device' }, scope),
    openResourceCondition(
      state,
      {
        pointer: pointerTo(networkStatuses),
        text: 'an address',
        isWanted: ({ addressReady }) => addressReady,
      },
      scope,
    ),
  ]);
  const unlessDevice = metUnless(up, device, { limitMs: deviceLimitMs, timers });
  const unlessAddress = metUnless(unlessDevice, address, { limitMs: addressLimitMs, timers });
  return metWithin(unlessAddress, apidLimitMs, timers);
}

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
  timers: Timers = systemTimers,
): Promise<Condition[]> {
  const isLate = daemon === serviceIds.udevdBridge && hasUdevd;
  return isLate
    ? Promise.all([openApidUp(state, timers, scope)])
    : Promise.all(conditionsOf[daemon].map((open) => open(state, scope)));
}

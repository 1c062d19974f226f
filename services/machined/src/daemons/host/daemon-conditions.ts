import { serviceIds } from '@nodewright/contract';
import { pointerTo, type State } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  networkStatuses,
  timeStatuses,
  trustdCertificates,
} from '@nodewright/state/kinds';
import type { Condition } from '../../base/domain/condition.ts';
import { type AwaitedResource, openResourceCondition } from '../../services/host/resource-condition.ts';
import type { ChildDaemon } from '../domain/daemon-command.ts';

/** The clock can be trusted. Source: Talos v1.14: services, time sync. */
const timeSync = awaited({
  pointer: pointerTo(timeStatuses),
  text: 'time sync',
  isWanted: ({ synced }) => synced,
});

/** The node has an address and a name. Source: Talos v1.14: services, network. */
const network = awaited({
  pointer: pointerTo(networkStatuses),
  text: 'network',
  isWanted: ({ addressReady, hostnameReady }) => addressReady && hostnameReady,
});

/** What each daemon waits for, in the order in which the history names it. */
const conditionsOf: Readonly<Record<ChildDaemon, readonly OpenCondition[]>> = {
  [serviceIds.apid]: [
    awaited({ pointer: pointerTo(apiCertificates), text: 'api certificates' }),
    awaited({ pointer: pointerTo(apiServiceConfigs), text: 'config to be ready' }),
  ],
  [serviceIds.trustd]: [
    timeSync,
    network,
    awaited({ pointer: pointerTo(trustdCertificates), text: 'trustd certificates' }),
  ],
};

type OpenCondition = (state: State, scope: AsyncDisposableStack) => Promise<Condition>;

/** Hides what the spec is, so that conditions of different kinds fit in one table. */
function awaited<S>(resource: AwaitedResource<S>): OpenCondition {
  return (state, scope) => openResourceCondition(state, resource, scope);
}

/** What a daemon waits for before it starts. Source: Talos v1.14: apid, trustd, conditions. */
export function openDaemonConditions(
  daemon: ChildDaemon,
  state: State,
  scope: AsyncDisposableStack,
): Promise<Condition[]> {
  return Promise.all(conditionsOf[daemon].map((open) => open(state, scope)));
}

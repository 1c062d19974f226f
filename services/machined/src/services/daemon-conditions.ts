import { serviceIds } from '@nodewright/contract';
import { type Pointer, pointerTo, type State } from '@nodewright/state';
import { apiCertificates, apiServiceConfigs, trustdCertificates } from '@nodewright/state/kinds';
import type { Condition } from '../domain/condition.ts';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { openResourceCondition } from '../resources/resource-condition.ts';

/** The resources that each daemon reads first, and how a service that waits for one names it. */
const awaited: Readonly<Record<ChildDaemon, readonly (readonly [Pointer, string])[]>> = {
  [serviceIds.apid]: [
    [pointerTo(apiCertificates, 'api'), 'api certificates'],
    [pointerTo(apiServiceConfigs, 'apid'), 'config to be ready'],
  ],
  [serviceIds.trustd]: [[pointerTo(trustdCertificates, 'trustd'), 'trustd certificates']],
};

/** What a daemon waits for before it starts: that there is what it reads. Source: Talos v1.14: apid, trustd, conditions. */
export function openDaemonConditions(
  daemon: ChildDaemon,
  state: State,
  scope: AsyncDisposableStack,
): Promise<Condition[]> {
  const open = ([pointer, text]: readonly [Pointer, string]) =>
    openResourceCondition(state, pointer, text, scope);
  return Promise.all(awaited[daemon].map(open));
}

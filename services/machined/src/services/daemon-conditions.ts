import { type Pointer, pointerTo, type State } from '@nodewright/state';
import { apiCertificates, apiServiceConfigs, trustdCertificates } from '@nodewright/state/kinds';
import type { Condition } from '../domain/condition.ts';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { openResourceCondition } from '../resources/resource-condition.ts';

/** What each daemon waits for before it starts: that there is what it reads. Source: Talos v1.14: apid, trustd, conditions. */
export async function openDaemonConditions(
  state: State,
  scope: AsyncDisposableStack,
): Promise<Record<ChildDaemon, readonly Condition[]>> {
  const open = (pointer: Pointer, text: string) => openResourceCondition(state, pointer, text, scope);
  return {
    apid: [
      await open(pointerTo(apiCertificates, 'api'), 'api certificates'),
      await open(pointerTo(apiServiceConfigs, 'apid'), 'config to be ready'),
    ],
    trustd: [await open(pointerTo(trustdCertificates, 'trustd'), 'trustd certificates')],
  };
}

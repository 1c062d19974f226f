import { pointerTo, type State } from '@nodewright/state';
import { etcdSpecs, networkStatuses, pkiStatuses, timeStatuses } from '@nodewright/state/kinds';
import type { Condition } from '../../base/domain/condition.ts';
import { openResourceCondition } from '../../services/host/resource-condition.ts';

export interface EtcdConditions {
  readonly timeSync: Condition;
  /** Before anything is prepared, in the order in which the history names them. */
  readonly start: readonly Condition[];
  /** The certificates are written. */
  readonly pki: Condition;
}

/** What etcd waits for; they are followed until `scope` ends. Source: Talos v1.14: etcd, conditions. */
export async function openEtcdConditions(state: State, scope: AsyncDisposableStack): Promise<EtcdConditions> {
  const [timeSync, network, spec] = await Promise.all([
    openResourceCondition(
      state,
      { pointer: pointerTo(timeStatuses), text: 'time sync', isWanted: ({ synced }) => synced },
      scope,
    ),
    openResourceCondition(
      state,
      {
        pointer: pointerTo(networkStatuses),
        text: 'network',
        // Connectivity is not asked for: a control plane has to come up without the world.
        isWanted: ({ addressReady, hostnameReady, etcFilesReady }) =>
          addressReady && hostnameReady && etcFilesReady,
      },
      scope,
    ),
    openResourceCondition(state, { pointer: pointerTo(etcdSpecs), text: 'etcd spec' }, scope),
  ]);
  const pki = await openResourceCondition(
    state,
    { pointer: pointerTo(pkiStatuses), text: 'etcd PKI', isWanted: ({ ready }) => ready },
    scope,
  );
  return { timeSync, start: [timeSync, network, spec], pki };
}

import { type Condition, openResourceCondition } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import { etcdSpecs, networkStatuses, pkiStatuses, timeStatuses } from '@nodewright/state/kinds';

export interface EtcdConditions {
  readonly timeSync: Condition;
  /** Conditions to meet before etcd is prepared, in the order of the messages in the service history. */
  readonly start: readonly Condition[];
  /** Met when the certificates are written. */
  readonly pki: Condition;
}

/**
 * Opens the conditions that etcd waits for. They are updated until `scope` ends. Source: Talos v1.14: etcd,
 * conditions.
 */
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
        // Connectivity is not required: a control plane must be able to start in an isolated network.
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

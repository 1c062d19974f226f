import { pauseBy, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { EffectiveConfig } from '@nodewright/machine-config';
import type { Condition } from '@nodewright/services';
import type { DiagnosticSpec } from '@nodewright/state/kinds';
import type { BootstrapWish } from '../domain/start-mode.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import type { NodeEtcd } from './node-etcd.ts';

export interface BootstrapInit {
  readonly etcd: NodeEtcd;
  /** Returns the values of the active configuration. */
  readonly configuration: () => EffectiveConfig | undefined;
  /** Why the clock of the node is not synchronised; `undefined` when that is not known. */
  readonly timeProblem: () => Promise<DiagnosticSpec | undefined>;
  readonly timers: Timers;
}

const timeSyncTimeoutMs = 5000;
/** How long to wait for an existing etcd cluster to answer. */
const clusterTimeoutMs = 1500;

/**
 * Makes this node the first member of a new etcd cluster if all preconditions hold. It resolves before etcd
 * is up. Source: Talos v1.14: Bootstrap, preconditions.
 *
 * @throws Fault that names the precondition that does not hold
 */
export async function bootstrapEtcd(init: BootstrapInit, wish: BootstrapWish): Promise<void> {
  const { etcd } = init;
  if (etcd.run === undefined) {
    throw new Fault(
      'failed-precondition',
      'bootstrap is not available: this node was started without etcd (machined --etcd-binary)',
    );
  }
  const { service, timeSync } = etcd.run;
  const configuration = init.configuration();
  if (configuration?.isComplete && configuration.etcd.ca === undefined) {
    throw new Fault('invalid-argument', 'etcd is not configured, bootstrap is not possible');
  }
  if (!service.isDeclared) {
    throw new Fault(
      'failed-precondition',
      'bootstrap is not available yet: the node has not started its etcd service',
    );
  }
  await inTime(timeSync, init);
  await service.assertNoData();
  await refuseSecondCluster(etcd.access);
  await service.bootstrap(wish);
}

async function inTime(
  timeSync: Condition,
  { timers, timeProblem }: Pick<BootstrapInit, 'timers' | 'timeProblem'>,
): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race([timeSync.wait(done.signal), pauseBy(timers, timeSyncTimeoutMs, done.signal)]);
  } finally {
    done.abort();
  }
  if (timeSync.isMet()) return;
  const problem = await timeProblem();
  const why = problem === undefined ? '' : `: ${[problem.message, ...problem.details].join('; ')}`;
  throw new Fault('failed-precondition', `time is not in sync yet${why}`);
}

/** Refuses to create a second cluster: the data of two clusters can never be merged. */
async function refuseSecondCluster({ others, openAt }: EtcdAccess): Promise<void> {
  const answers = await Promise.all(
    (await others()).map(async (endpoint) => {
      try {
        await using client = await openAt([endpoint]);
        await client.members({ linearizable: true, timeoutMs: clusterTimeoutMs });
        return [endpoint];
      } catch {
        return [];
      }
    }),
  );
  const [endpoint] = answers.flat();
  if (endpoint === undefined) return;
  throw new Fault(
    'already-exists',
    `an etcd cluster already answers at ${endpoint}: this node must join it instead of creating another one`,
  );
}

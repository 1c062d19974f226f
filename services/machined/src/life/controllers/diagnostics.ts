import { serviceIds } from '@nodewright/contract';
import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import type { ServiceRecords } from '@nodewright/services';
import { pointerTo } from '@nodewright/state';
import { type DiagnosticSpec, diagnostics, machineConfigs, nodeAddresses } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import type { World } from '../../base/domain/world.ts';
import { addressOverlap } from '../domain/address-overlap.ts';
import { etcdWaitProblem, isEtcdPending } from '../domain/etcd-wait.ts';
import { missingProtections } from '../domain/missing-protections.ts';
import { restartingId, restartingServices } from '../domain/restarting-services.ts';

/** How long etcd may wait before that is a problem, in ms: joining a healthy cluster takes less. */
const etcdGraceMs = 30_000;

/**
 * Problems that an operator should look at: overlapping addresses, an etcd that waits, services that keep restarting, and protections
 * that are configured and missing. Problems of the kubelet are not published.
 */
export function diagnosticsController(
  services: ServiceRecords,
  { refusesUnkeptProtections }: Pick<World, 'refusesUnkeptProtections'>,
): Controller {
  /** When etcd became pending, by the monotonic clock. */
  let pendingSinceMs: number | undefined;
  const etcdWait = (pass: ReconcilePass): DiagnosticSpec | undefined => {
    const records = services.records();
    pendingSinceMs = isEtcdPending(records) ? (pendingSinceMs ?? pass.monotonicMs()) : undefined;
    if (pendingSinceMs === undefined) return undefined;
    const leftMs = pendingSinceMs + etcdGraceMs - pass.monotonicMs();
    if (leftMs <= 0) return etcdWaitProblem(records);
    pass.wakeAfter(leftMs);
    return undefined;
  };
  /** The diagnostics of services that keep restarting: how one goes on may end its problem. */
  let restarting: ReadonlySet<string> = new Set();
  const restarts = (pass: ReconcilePass) => {
    const { problems, nextMs } = restartingServices(services.records(), pass.now());
    restarting = new Set(problems.keys());
    if (nextMs !== undefined) pass.wakeAfter(nextMs);
    return problems;
  };
  return {
    name: 'runtime.DiagnosticsController',
    inputs: [weak(nodeAddresses), weak(machineConfigs, activeConfigId)],
    outputs: [shared(diagnostics)],
    open(source, scope) {
      scope.use(
        services.onChange(({ id, history }) => {
          const isRestart = history.at(-1)?.message.includes(' going to restart') === true;
          const isRestarting = restarting.has(restartingId(id));
          if (id === serviceIds.etcd || isRestart || isRestarting) source.wake();
        }),
      );
    },
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      // The current ones contain those of the node in the networks of its pods.
      const own = await pass.get(pointerTo(nodeAddresses, 'default'));
      const overlap = configuration?.effective.isComplete
        ? addressOverlap({ ...configuration.effective.cluster, addresses: own?.spec.addresses ?? [] })
        : undefined;
      const unprotected = refusesUnkeptProtections && configuration;
      const problems: Record<string, DiagnosticSpec | undefined> = {
        ...Object.fromEntries(restarts(pass)),
        'address-overlap': overlap,
        'etcd-waiting': etcdWait(pass),
        'missing-protection': unprotected ? missingProtections(unprotected.documents) : undefined,
      };
      await pass.replace(
        diagnostics,
        Object.entries(problems).flatMap(([id, spec]) => (spec === undefined ? [] : [{ id, spec }])),
      );
    },
  };
}

/** A problem that lasts this long is logged. */
const patienceMs = 60_000;

/** Logs each lasting problem once. */
export function diagnosticsLoggerController(): Controller {
  /** When each problem was first seen, by the monotonic clock; undefined once it is logged. */
  const seen = new Map<string, number | undefined>();
  return {
    name: 'runtime.DiagnosticsLoggerController',
    inputs: [weak(diagnostics)],
    outputs: [],
    async reconcile(pass) {
      const present = await pass.list(diagnostics);
      const ids = new Set(present.map(({ metadata }) => metadata.id));
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
      for (const { metadata, spec } of present) {
        const { id } = metadata;
        if (!seen.has(id)) seen.set(id, pass.monotonicMs());
        const sinceMs = seen.get(id);
        if (sinceMs === undefined) continue;
        const leftMs = sinceMs + patienceMs - pass.monotonicMs();
        if (leftMs > 0) {
          pass.wakeAfter(leftMs);
          continue;
        }
        seen.set(id, undefined);
        pass.log.warn({ diagnostic: id, message: spec.message, details: spec.details }, 'problem lasts');
      }
    },
  };
}

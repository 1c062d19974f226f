import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { diagnostics, etcdSpecs, services } from '@nodewright/state/kinds';
import { type EtcdSpace, etcdSpaceProblems } from '../domain/etcd-space.ts';

/**
 * Reads the space and the alarms of the node's own etcd, from its local data.
 *
 * @throws Fault while etcd does not answer
 */
export type AskSpace = (signal: AbortSignal) => Promise<EtcdSpace>;

const service = pointerTo(services, 'etcd');
/** How often to ask, in ms. A full database needs hours to fill its last fifth, and an alarm stays. */
const lookMs = 60_000;

/**
 * Diagnostics for alarms of etcd and for a database that is nearly full. A service with an alarm is healthy: it serves
 * reads, and a restart would not help.
 */
export function createEtcdDiagnosticsController(ask: AskSpace): Controller {
  let problems: ReturnType<typeof etcdSpaceProblems> = new Map();
  const look = async (pass: ReconcilePass) => {
    try {
      problems = etcdSpaceProblems(await ask(pass.signal), (await pass.get(pointerTo(etcdSpecs)))?.spec);
    } catch (error) {
      if (pass.signal.aborted) throw error;
      // The health check of the service reports it. What was true before may still be true.
      pass.log.debug({ error: faultFrom(error).message }, 'etcd does not say how much space it has');
    }
  };
  return {
    name: 'etcd.DiagnosticsController',
    inputs: [weak(services, service.id), weak(etcdSpecs, etcdSpecs.singleton)],
    outputs: [shared(diagnostics)],
    async reconcile(pass) {
      const running = await pass.get(service);
      if (running?.metadata.phase !== 'running') problems = new Map();
      else {
        await look(pass);
        pass.wakeAfter(lookMs);
      }
      await pass.replace(
        diagnostics,
        [...problems].map(([id, spec]) => ({ id, spec })),
      );
    },
  };
}

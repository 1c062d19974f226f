import { pauseBy, type Timers } from '@nodewright/async';
import type { ContainerRuntime, NamespaceName, RuntimeNamespace } from '@nodewright/containers';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { containersLimitMs } from '../../base/domain/stop-budgets.ts';

const namespaces: readonly NamespaceName[] = ['system', 'k8s.io'];
/** Time between SIGTERM and SIGKILL. Source: Talos v1.14: runners. */
const graceMs = 10_000;

/**
 * Ends and removes every container that is left when the services that use the runtime are down: a running one keeps its
 * file system, and with it the volume below, in use. What fails is logged.
 */
export async function stopContainers(runtime: ContainerRuntime, log: Logger, timers: Timers): Promise<void> {
  const signal = AbortSignal.timeout(containersLimitMs);
  const end = async (name: NamespaceName) => {
    try {
      const { containers } = runtime.namespace(name);
      const found = await containers.list({ signal });
      await Promise.all(found.map(({ id, task }) => stopOne(containers, id, task?.status === 'running')));
    } catch (error) {
      log.warn({ namespace: name, error: faultFrom(error).message }, 'containers could not be stopped');
    }
  };
  const stopOne = async (containers: RuntimeNamespace['containers'], id: string, isRunning: boolean) => {
    if (isRunning) {
      await containers.kill(id, 'SIGTERM', { signal });
      const ended = new AbortController();
      const grace = pauseBy(timers, graceMs, ended.signal);
      await Promise.race([containers.wait(id, { signal }).catch(() => grace), grace]);
      ended.abort();
    }
    await containers.remove(id, { force: true, signal });
  };
  await Promise.all(namespaces.map(end));
}

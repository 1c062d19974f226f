import { pointerTo, type State } from '@nodewright/state';
import { apiServerConfigs, nodenames, staticPodStatuses } from '@nodewright/state/kinds';
import type { HealthResult } from '../../base/domain/service-health.ts';
import { specOf } from '../../base/resources/spec-of.ts';
import { probeHttps } from './probe-https.ts';

type Check = (timeoutMs: number) => Promise<HealthResult>;

/** A server that admits no anonymous requests answers that it does not know the client. */
export const answersReadiness = (status: number) => status === 200 || status === 401 || status === 403;

/** Whether the API server that the kubelet of this node runs is ready. */
export function createCheckApiServer(state: State): Check {
  return async (timeoutMs) => {
    const config = await specOf(state, pointerTo(apiServerConfigs, 'final-kube-apiserver'));
    if (config === undefined) return { healthy: false, message: 'it is not configured' };
    return probeHttps(
      { host: '127.0.0.1', port: config.localPort, path: '/readyz' },
      timeoutMs,
      answersReadiness,
    );
  };
}

/** Remembers the container of the API server, and returns a check that succeeds only with another one. */
export async function checkSuccessor(state: State, check: Check): Promise<Check> {
  const before = await containerOf(state);
  return async (timeoutMs) => {
    if (before !== undefined && (await containerOf(state)) === before)
      return { healthy: false, message: 'the kubelet has not replaced the container yet' };
    return check(timeoutMs);
  };
}

async function containerOf(state: State): Promise<string | undefined> {
  const name = (await specOf(state, pointerTo(nodenames)))?.nodename;
  const status = await specOf(
    state,
    pointerTo(staticPodStatuses, `kube-system/kube-apiserver-${name ?? ''}`),
  );
  const containers = status?.podStatus.containerStatuses;
  const [first] = (Array.isArray(containers) ? containers : []) as readonly { containerID?: string }[];
  return first?.containerID;
}

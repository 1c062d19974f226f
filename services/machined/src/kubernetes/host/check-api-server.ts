import type { HealthResult } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import { apiServerConfigs, kubernetesDynamicCerts } from '@nodewright/state/kinds';
import { specOf } from '../../base/resources/spec-of.ts';
import { probeHttps } from './probe-https.ts';

type Check = (timeoutMs: number) => Promise<HealthResult>;

/**
 * Whether an API server is ready. It is asked as an administrator: until it has loaded its rules it answers everybody else that they
 * may not ask (403). One whose authority was replaced does not know the client (401), and counts as ready.
 */
export async function checkReadiness(
  state: State,
  { host, port }: { readonly host: string; readonly port: number },
  timeoutMs: number,
): Promise<HealthResult> {
  const credentials = (await specOf(state, pointerTo(kubernetesDynamicCerts)))?.apiServerKubeletClient;
  const isHealthy = (status: number) => status === 200 || status === 401;
  return probeHttps({ host, port, path: '/readyz' }, timeoutMs, { isHealthy, credentials });
}

/** Whether the API server that the kubelet of this node runs is ready. */
export function createCheckApiServer(state: State): Check {
  return async (timeoutMs) => {
    const config = await specOf(state, pointerTo(apiServerConfigs, 'final-kube-apiserver'));
    if (config === undefined) return { healthy: false, message: 'it is not configured' };
    return checkReadiness(state, { host: '127.0.0.1', port: config.localPort }, timeoutMs);
  };
}

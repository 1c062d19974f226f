import type { HealthResult } from '../../base/domain/service-health.ts';
import type { HealthRequest } from '../domain/process-pod.ts';

/**
 * Sends a health request over HTTPS. Like the kubelet, it does not verify the certificate: the answer decides nothing but
 * whether the process is shown as healthy. Never throws: a failure is a result.
 *
 * @param isHealthy whether a status of HTTP means health
 */
export async function probeHttps(
  { host, port, path }: Required<HealthRequest>,
  timeoutMs: number,
  isHealthy = (status: number) => status >= 200 && status < 400,
): Promise<HealthResult> {
  // Loaded here because only control planes with Kubernetes need it.
  const { get } = await import('node:https');
  const { promise, resolve } = Promise.withResolvers<HealthResult>();
  const fail = (message: string) => resolve({ healthy: false, message });
  const request = get(
    { host, port, path, rejectUnauthorized: false, agent: false, timeout: timeoutMs },
    (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      if (isHealthy(statusCode)) resolve({ healthy: true });
      else fail(`${path} answered ${statusCode}`);
    },
  );
  const timer = setTimeout(() => fail(`${path} did not answer within ${timeoutMs} ms`), timeoutMs);
  request.on('error', (error) => fail(error.message));
  return promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}

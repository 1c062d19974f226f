import type { HealthResult } from '@nodewright/services';
import type { HealthRequest } from '../domain/process-pod.ts';

export interface ProbeOptions {
  /** Whether a status of HTTP means health. */
  readonly isHealthy?: (status: number) => boolean;
  /** A client certificate. */
  readonly credentials?: { readonly crt: string; readonly key: string } | undefined;
}

/**
 * Sends a health request over HTTPS. Like the kubelet, it does not verify the certificate: the answer decides nothing but
 * whether the process is shown as healthy. Never throws: a failure is a result.
 */
export async function probeHttps(
  { host, port, path }: Required<HealthRequest>,
  timeoutMs: number,
  { isHealthy = (status) => status >= 200 && status < 400, credentials }: ProbeOptions = {},
): Promise<HealthResult> {
  // Loaded here because only control planes with Kubernetes need it.
  const { get } = await import('node:https');
  const { promise, resolve } = Promise.withResolvers<HealthResult>();
  const fail = (message: string) => resolve({ healthy: false, message });
  const request = get(
    {
      ...{ host, port, path, rejectUnauthorized: false, agent: false, timeout: timeoutMs },
      ...(credentials && { cert: credentials.crt, key: credentials.key }),
    },
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

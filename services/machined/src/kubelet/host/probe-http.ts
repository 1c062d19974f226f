import type { HealthResult } from '@nodewright/services';

export interface HttpHealth {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** Sends a health request without TLS. Never throws: a failure is a result. Source: Talos v1.14: health checks, kubelet. */
export async function probeHttp({ host, port, path }: HttpHealth, timeoutMs: number): Promise<HealthResult> {
  // Loaded here because only nodes with a kubelet need it.
  const { get } = await import('node:http');
  const { promise, resolve } = Promise.withResolvers<HealthResult>();
  const signal = AbortSignal.timeout(timeoutMs);
  const request = get({ host, port, path, agent: false, signal }, (response) => {
    response.resume();
    const { statusCode } = response;
    if (statusCode === 200) resolve({ healthy: true });
    else resolve({ healthy: false, message: `expected HTTP status OK, got ${statusCode}` });
  });
  request.on('error', (error) => resolve({ healthy: false, message: error.message }));
  return promise.finally(() => request.destroy());
}

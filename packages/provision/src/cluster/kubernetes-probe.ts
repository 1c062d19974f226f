import type { ApiAnswer } from '../domain/workload-state.ts';

/** Calls the API servers of a cluster. Failures are Faults. */
export interface KubernetesProbe extends AsyncDisposable {
  /** Requests a kubeconfig for an administrator from the node at this endpoint of apid. */
  kubeconfig(endpoint: string, signal: AbortSignal): Promise<string>;
  /** Resolves when the API server at this URL says that it is ready; rejects with what it says otherwise. */
  assertReady(kubeconfig: string, server: string, signal: AbortSignal): Promise<void>;
  /** Reads a path of the API server at this URL. A status other than 200 is no failure. */
  get(kubeconfig: string, server: string, path: string, signal: AbortSignal): Promise<ApiAnswer>;
}

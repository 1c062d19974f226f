import { Fault, faultFrom } from '@nodewright/fault';
import { parseKubeconfig } from '../kubeconfig/kubeconfig.ts';
import { type KubernetesApi, openKubernetesApi } from '../kubeconfig/kubernetes-api.ts';

/** The caller cannot get credentials for Kubernetes. Its message is a reason, after `because`. */
export class NoCredentials extends Fault {}

export interface KubernetesAccessInit {
  /**
   * Returns a kubeconfig with a client certificate.
   *
   * @throws Fault `failed-precondition` without Kubernetes, `permission-denied` when the caller may not use it
   */
  readonly kubeconfig: (signal: AbortSignal) => Promise<string>;
  /** URL of an API server, instead of that of the kubeconfig. */
  readonly server?: string | undefined;
}

/** Opens the API of Kubernetes for the first check that needs it, and keeps it for the others. */
export class KubernetesAccess implements Disposable {
  readonly #init: KubernetesAccessInit;
  #api: Promise<KubernetesApi> | undefined;

  constructor(init: KubernetesAccessInit) {
    this.#init = init;
  }

  /**
   * @param signal of the attempt; the next attempt begins again when it aborts
   * @throws NoCredentials
   */
  async open(signal: AbortSignal): Promise<KubernetesApi> {
    const opening = this.#api ?? this.#open(signal);
    this.#api = opening;
    const forget = () => {
      if (this.#api === opening) this.#api = undefined;
    };
    signal.addEventListener('abort', forget, { once: true });
    try {
      return await opening;
    } catch (error) {
      forget();
      throw error;
    } finally {
      signal.removeEventListener('abort', forget);
    }
  }

  async #open(signal: AbortSignal): Promise<KubernetesApi> {
    const { server } = this.#init;
    const config = parseKubeconfig(await this.#kubeconfig(signal), 'the kubeconfig of the cluster');
    const clusters = config.clusters.map((entry) => ({
      ...entry,
      cluster: { ...(entry.cluster as object), ...(server && { server }) },
    }));
    return openKubernetesApi({ ...config, clusters }, { keepsConnection: true });
  }

  async #kubeconfig(signal: AbortSignal): Promise<string> {
    try {
      return await this.#init.kubeconfig(signal);
    } catch (error) {
      const { kind, message } = faultFrom(error);
      if (kind === 'permission-denied')
        throw new NoCredentials(
          kind,
          'the caller may not request a kubeconfig, which needs the role os:admin',
        );
      if (kind === 'failed-precondition')
        throw new NoCredentials(kind, `the control plane issues no kubeconfig (${message})`);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    const opened = this.#api;
    this.#api = undefined;
    void opened?.then((api) => api[Symbol.dispose]()).catch(() => {});
  }
}

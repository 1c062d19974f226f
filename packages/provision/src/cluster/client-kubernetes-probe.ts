import { openTalosClient } from '@nodewright/client';
import { openKubernetesApi, parseKubeconfig, readKubeconfig } from '@nodewright/client/kubeconfig';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import type { KubernetesProbe } from './kubernetes-probe.ts';

/** Creates a probe that uses `@nodewright/client`, as users do. */
export function openClientKubernetesProbe(talosconfig: string, telemetry: Telemetry): KubernetesProbe {
  const config = parseTalosconfig(talosconfig);
  const context = config.contexts.get(config.context);
  return {
    async kubeconfig(endpoint, signal) {
      using client = openTalosClient({ context, endpoints: [endpoint], telemetry });
      return await readKubeconfig(client.firstEndpoint(), signal);
    },
    async assertReady(kubeconfig, server, signal) {
      const api = openKubernetesApi(parseKubeconfig(kubeconfig, 'the kubeconfig of the cluster'));
      const { status } = await api.get('/readyz', { server, signal });
      if (status !== 200) throw new Fault('unavailable', `${server}/readyz answers ${status}`);
    },
    async get(kubeconfig, server, path, signal) {
      using api = openKubernetesApi(parseKubeconfig(kubeconfig, 'the kubeconfig of the cluster'));
      const { status, body } = await api.get(path, { server, signal });
      return { status, body: status === 200 ? JSON.parse(body) : undefined };
    },
    async [Symbol.asyncDispose]() {},
  };
}

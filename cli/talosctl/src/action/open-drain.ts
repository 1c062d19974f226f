import { systemTimers } from '@nodewright/async';
import type { TalosClient } from '@nodewright/client';
import { type DrainNodesInit, drainNodes, type NodeDrain } from './drain-nodes.ts';

/** Drains the nodes of a client before they reboot, with the credentials of an administrator, which the first endpoint issues. */
export function openDrain(client: TalosClient, timeoutMs: number, signal: AbortSignal): NodeDrain {
  const open: DrainNodesInit['open'] = async () => {
    const { openKubernetesApi, parseKubeconfig, readKubeconfig } = await import(
      '@nodewright/client/kubeconfig'
    );
    const { openKubeNodes } = await import('@nodewright/client/kube-nodes');
    const config = parseKubeconfig(
      await readKubeconfig(client.firstEndpoint(), signal),
      'the kubeconfig of the cluster',
    );
    // Not ended by the user's interrupt: the node is uncordoned after it. Each request has a time limit of its own.
    const { signal: never } = new AbortController();
    return openKubeNodes({ api: openKubernetesApi(config), signal: never });
  };
  return drainNodes({
    ...{ open, timeoutMs, timers: systemTimers, signal },
    async refusalOf(node) {
      const { machine } = node;
      const { isRefusedIn, readSystems } = await import('@nodewright/client/what-if');
      const mode = (await machine.version({}, { signal })).messages[0]?.platform?.mode;
      const systems = await readSystems(node, signal);
      if (!isRefusedIn(mode, { kind: 'reboot', mode: 'default' }, systems)) return undefined;
      return 'reboot is not supported in container mode: nothing was drained';
    },
    async nameOf({ resources }) {
      const { nodenames } = await import('@nodewright/client/kinds');
      return (await resources.get(nodenames, 'nodename', { signal })).spec.nodename;
    },
  });
}

import { type Controller, shared, weak } from '@nodewright/controllers';
import { resolvConfFile } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { diagnostics, nodenames, resolverStatuses } from '@nodewright/state/kinds';
import { podResolver } from '../domain/pod-resolver.ts';

const rereadMs = 60_000;

export interface PodResolverEffect {
  /** Replaces the `resolv.conf` that the kubelet gives to pods. @throws Fault when it cannot be written */
  write(contents: string): Promise<void>;
}

export interface PodResolverInit {
  readonly effect: PodResolverEffect;
  /** Reads `/etc/resolv.conf` of the container; an empty text when the file does not exist. */
  readonly readResolvConf: () => Promise<string>;
  /** The node is a container, whose engine has an option for name servers. */
  readonly isContainer: boolean;
}

/** Writes which name servers pods ask, and says so while those are not the node's. Source: Talos v1.14: network.EtcFileController. */
export function createPodResolverController({
  effect,
  readResolvConf,
  isContainer,
}: PodResolverInit): Controller {
  return {
    name: 'network.PodResolverController',
    inputs: [weak(resolverStatuses, resolverStatuses.singleton), weak(nodenames, nodenames.singleton)],
    outputs: [shared(diagnostics)],
    async reconcile(pass) {
      const resolvers = (await pass.get(pointerTo(resolverStatuses)))?.spec;
      // If it is missing for a moment, the file stays as it was.
      if (resolvers === undefined) return;
      const { dnsServers: inUse, searchDomains } = resolvers;
      const { servers, diagnostic } = podResolver({ inUse, resolvConf: await readResolvConf(), isContainer });
      await effect.write(resolvConfFile(servers, searchDomains));
      // Before the node has a configuration with Kubernetes, it runs no pods.
      const hasPods = (await pass.get(pointerTo(nodenames))) !== undefined;
      const isShown = hasPods && diagnostic !== undefined;
      // An engine may replace the file when it connects the container to another network.
      if (isContainer) pass.wakeAfter(rereadMs);
      await pass.replace(diagnostics, isShown ? [{ id: 'pod-resolver', spec: diagnostic }] : []);
    },
  };
}

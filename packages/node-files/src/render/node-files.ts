// The files that every kind of node has. Source: Talos v1.14: kubelet service; files generated under /etc; machine configuration,
// registries and `machine.sysctls`.
import { encodeYaml } from '@nodewright/state';
import { containerdPaths } from '../containers/containerd-config.ts';
import { registryConfigFrom } from '../containers/registry-config.ts';
import { registryFiles } from '../containers/registry-hosts.ts';
import { configuredParameters, parameterPath } from '../kernel/kernel-parameters.ts';
import { kubeletArguments } from '../kubelet/kubelet-arguments.ts';
import { kubeletConfigFrom } from '../kubelet/kubelet-config.ts';
import { kubeletConfiguration } from '../kubelet/kubelet-configuration.ts';
import { kubeletPaths } from '../kubelet/kubelet-paths.ts';
import { userPods } from '../kubernetes/user-pods.ts';
import { hostsFile, resolvConfFile } from '../network/etc-files.ts';
import { nodenameFromHostname, parseHostname } from '../network/hostname.ts';
import { controlPlaneFiles } from './control-plane-files.ts';
import type { NodeSettings } from './node-settings.ts';
import type { FileMaker, RenderedFile } from './rendered-file.ts';
import { sampleNode } from './sample-node.ts';

const lines = (name: string, texts: readonly string[]): RenderedFile => ({
  name,
  text: texts.map((text) => `${text}\n`).join(''),
  value: () => texts,
});

const nameOf = ({ hostname }: NodeSettings) => parseHostname(hostname.hostname || sampleNode.hostname);

function kubeletFiles(settings: NodeSettings): RenderedFile[] {
  const { kubelet, node, machineType } = settings;
  if (kubelet === undefined) return [];
  const spec = kubeletConfigFrom(kubelet, settings, sampleNode.staticPodUrl);
  const { hostname } = nameOf(settings);
  const nodename = nodenameFromHostname(
    node.registerWithFQDN ? settings.hostname.hostname || hostname : hostname,
  );
  const args = kubeletArguments(spec, { nodename, addresses: [sampleNode.address] });
  const isControlPlane = machineType === 'controlplane' || machineType === 'init';
  const config = kubeletConfiguration(spec, { isControlPlane, limitsPods: true });
  const container = { image: spec.image, mounts: spec.extraMounts };
  const file = (name: string, value: unknown, text: string): RenderedFile => ({
    name,
    text,
    value: () => value,
  });
  return [
    file('container of the kubelet', container, JSON.stringify(container)),
    file('command line of the kubelet', args, args.join('\n')),
    file(kubeletPaths.config, config, encodeYaml(config)),
    ...(Object.keys(spec.credentialProviderConfig).length > 0
      ? [
          file(
            kubeletPaths.credentialProviders,
            spec.credentialProviderConfig,
            encodeYaml(spec.credentialProviderConfig),
          ),
        ]
      : []),
    // Labels and annotations of the Node object, which the node writes with the rights of its kubelet.
    file(
      'Node object',
      { labels: node.labels, annotations: node.annotations },
      JSON.stringify([Object.entries(node.labels).sort(), Object.entries(node.annotations).sort()]),
    ),
  ];
}

function resolverFile({ hostDNS, resolvers }: NodeSettings): RenderedFile[] {
  const { nameServers, searchDomains = [] } = resolvers;
  // Servers of DHCP and of the platform are in no configuration.
  if (!hostDNS.enabled && nameServers.length === 0 && searchDomains.length === 0) return [];
  const servers = hostDNS.enabled ? [sampleNode.hostResolver] : nameServers.map(({ address }) => address);
  return [lines('/etc/resolv.conf', resolvConfFile(servers, searchDomains).split('\n'))];
}

/** Every file that follows from a configuration alone. */
export const fileMakers: readonly FileMaker<NodeSettings>[] = [
  ...controlPlaneFiles,
  {
    name: 'static pods of the user',
    make: ({ controlPlane }) =>
      userPods(controlPlane.staticPods).map(({ id, pod }) => ({
        name: `static pod ${id}`,
        text: encodeYaml(pod),
        value: () => pod,
      })),
  },
  { name: 'files of the kubelet', make: kubeletFiles },
  {
    name: 'registries of containerd',
    make: (settings) =>
      registryFiles(registryConfigFrom(settings, undefined), containerdPaths.registries).map(
        ({ path, contents }) =>
          lines(
            `${containerdPaths.registries}/${path}`,
            contents.split('\n').filter((line) => line !== ''),
          ),
      ),
  },
  {
    name: 'kernel parameters',
    make: (settings) => {
      // The order in which a node sets them does not matter.
      const wanted = configuredParameters(settings)
        .map(({ id, spec }) => [parameterPath(id), spec.value] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1));
      if (wanted.length === 0) return [];
      const value = Object.fromEntries(wanted);
      return [{ name: 'kernel parameters', text: JSON.stringify(value), value: () => value }];
    },
  },
  {
    name: '/etc/hosts',
    make: (settings) => {
      const { staticHosts } = settings;
      const text = hostsFile({ name: nameOf(settings), address: sampleNode.address, staticHosts });
      return [lines('/etc/hosts', text.trimEnd().split('\n'))];
    },
  },
  { name: '/etc/resolv.conf', make: resolverFile },
];

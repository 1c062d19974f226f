// The network plug-in flannel. Source: Talos v1.14: bootstrap manifests, flannel. Source: flannel: configuration.
import type { JsonObject } from '@nodewright/state';
import type { BootstrapManifestsConfigSpec } from '@nodewright/state/kinds';
import { accountBinding, clusterRole, type RoleRule, readRule, serviceAccount } from './rbac.ts';
import { daemonSet, fieldVariable, hostFolder } from './workloads.ts';

const name = 'kube-flannel';
const account = 'flannel';
const configMap = 'kube-flannel-cfg';
const labels = { tier: 'node', 'k8s-app': 'flannel' };

export function flannelObjects(spec: BootstrapManifestsConfigSpec): JsonObject[] {
  return [
    clusterRole(account, rulesOf(spec)),
    accountBinding(account, account, account),
    serviceAccount(account),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configMap, namespace: 'kube-system', labels },
      data: {
        'cni-conf.json': JSON.stringify(cniConfig, null, 2),
        'net-conf.json': JSON.stringify(networkConfig(spec), null, 2),
      },
    },
    daemonSet({ name, labels, pod: podOf(spec) }),
  ];
}

function rulesOf({ flannelKubeNetworkPoliciesEnabled }: BootstrapManifestsConfigSpec): RoleRule[] {
  return [
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    readRule('', 'nodes'),
    { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
    ...(flannelKubeNetworkPoliciesEnabled
      ? [
          readRule('', 'pods', 'namespaces'),
          readRule('networking.k8s.io', 'networkpolicies'),
          readRule('policy.networking.k8s.io', 'adminnetworkpolicies', 'baselineadminnetworkpolicies'),
        ]
      : []),
  ];
}

const cniConfig: JsonObject = {
  name: 'cbr0',
  cniVersion: '1.0.0',
  plugins: [
    { type: 'flannel', delegate: { hairpinMode: true, isDefaultGateway: true } },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
};

function networkConfig(spec: BootstrapManifestsConfigSpec): JsonObject {
  const ipv4 = spec.podCIDRs.find((subnet) => !subnet.includes(':'));
  const ipv6 = spec.podCIDRs.find((subnet) => subnet.includes(':'));
  return {
    ...(ipv4 === undefined ? { EnableIPv4: false } : { Network: ipv4 }),
    ...(ipv6 !== undefined && { IPv6Network: ipv6, EnableIPv6: true }),
    EnableNFTables: true,
    Backend: {
      ...spec.flannelBackendExtraConfig,
      Type: spec.flannelBackendType,
      ...(spec.flannelBackendPort !== 0 && { Port: spec.flannelBackendPort }),
      ...(spec.flannelBackendMTU !== 0 && { MTU: spec.flannelBackendMTU }),
    },
  };
}

function podOf(spec: BootstrapManifestsConfigSpec): JsonObject {
  const image = spec.flannelImage;
  const mounts = [
    { name: 'run', mountPath: '/run/flannel' },
    { name: 'flannel-cfg', mountPath: '/etc/kube-flannel/' },
  ];
  const server = [
    { name: 'KUBERNETES_SERVICE_HOST', value: spec.flannelKubeServiceHost },
    { name: 'KUBERNETES_SERVICE_PORT', value: spec.flannelKubeServicePort },
  ].filter(({ value }) => value !== '');
  return {
    serviceAccountName: account,
    initContainers: [
      {
        name: 'install-config',
        image,
        command: ['/bin/cp'],
        args: ['-f', '/etc/kube-flannel/cni-conf.json', '/etc/cni/net.d/10-flannel.conflist'],
        volumeMounts: [
          { name: 'cni', mountPath: '/etc/cni/net.d' },
          { name: 'flannel-cfg', mountPath: '/etc/kube-flannel/' },
        ],
      },
    ],
    containers: [
      {
        name,
        image,
        command: ['/opt/bin/flanneld'],
        args: ['--ip-masq', '--kube-subnet-mgr', ...spec.flannelExtraArgs],
        env: [
          fieldVariable('POD_NAME', 'metadata.name'),
          fieldVariable('POD_NAMESPACE', 'metadata.namespace'),
          { name: 'EVENT_QUEUE_DEPTH', value: '5000' },
          { name: 'CONT_WHEN_CACHE_NOT_READY', value: 'false' },
          ...server,
        ],
        resources: { requests: spec.flannelResources.requests, limits: spec.flannelResources.limits },
        securityContext: { privileged: false, capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
        volumeMounts: mounts,
      },
      ...(spec.flannelKubeNetworkPoliciesEnabled ? [policiesContainer(spec)] : []),
    ],
    volumes: [
      hostFolder('run', '/run/flannel', 'DirectoryOrCreate'),
      hostFolder('cni', '/etc/cni/net.d'),
      { name: 'flannel-cfg', configMap: { name: configMap } },
    ],
  };
}

/** Enforces network policies, which flannel does not. */
function policiesContainer({
  flannelKubeNetworkPoliciesImage: image,
}: BootstrapManifestsConfigSpec): JsonObject {
  return {
    name: 'kube-network-policies',
    image,
    command: ['/bin/netpol', '--hostname-override=$(MY_NODE_NAME)', '--v=2'],
    env: [fieldVariable('MY_NODE_NAME', 'spec.nodeName')],
    resources: { requests: { cpu: '100m', memory: '50Mi' } },
    securityContext: { privileged: true, capabilities: { add: ['NET_ADMIN'] } },
  };
}

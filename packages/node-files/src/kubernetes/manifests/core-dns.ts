// The DNS of the cluster. Source: Talos v1.14: bootstrap manifests, CoreDNS.
import type { JsonObject } from '@nodewright/state';
import type { BootstrapManifestsConfigSpec } from '@nodewright/state/kinds';
import { accountBinding, clusterRole, readRule, serviceAccount } from './rbac.ts';

const name = 'coredns';
const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' };
const selector = { 'k8s-app': 'kube-dns' };

export function coreDnsObjects(spec: BootstrapManifestsConfigSpec): JsonObject[] {
  return [
    serviceAccount(name),
    clusterRole('system:coredns', [
      readRule('', 'endpoints', 'services', 'pods', 'namespaces'),
      readRule('discovery.k8s.io', 'endpointslices'),
    ]),
    accountBinding('system:coredns', 'system:coredns', name),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'kube-system' },
      data: { Corefile: corefile(spec.clusterDomain) },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'kube-system', labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: selector },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
        template: { metadata: { labels: selector }, spec: podOf(spec.coreDNSImage) },
      },
    },
  ];
}

function podOf(image: string): JsonObject {
  const port = (portName: string, containerPort: number, protocol: string) => ({
    name: portName,
    containerPort,
    protocol,
  });
  return {
    serviceAccountName: name,
    priorityClassName: 'system-cluster-critical',
    dnsPolicy: 'Default',
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', operator: 'Exists', effect: 'NoSchedule' },
    ],
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchLabels: selector },
            },
          },
        ],
      },
    },
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name,
        image,
        args: ['-conf', '/etc/coredns/Corefile'],
        // 95 % of the limit, so that Go collects garbage before the kernel ends the process.
        env: [{ name: 'GOMEMLIMIT', value: '161MiB' }],
        resources: { requests: { cpu: '100m', memory: '70Mi' }, limits: { memory: '170Mi' } },
        ports: [port('dns', 53, 'UDP'), port('dns-tcp', 53, 'TCP'), port('metrics', 9153, 'TCP')],
        livenessProbe: {
          httpGet: { path: '/health', port: 8080, scheme: 'HTTP' },
          initialDelaySeconds: 60,
          timeoutSeconds: 5,
          failureThreshold: 5,
        },
        readinessProbe: { httpGet: { path: '/ready', port: 8181, scheme: 'HTTP' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
      },
    ],
    volumes: [{ name: 'config-volume', configMap: { name, items: [{ key: 'Corefile', path: 'Corefile' }] } }],
  };
}

/** Answers for names of the cluster are not cached, so that clients see each change at once. Source: CoreDNS: plugins. */
function corefile(domain: string): string {
  return `.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    log . {
        class error
    }
    prometheus :9153
    kubernetes ${domain} in-addr.arpa ip6.arpa {
        pods insecure
        ttl 30
    }
    forward . /etc/resolv.conf {
        max_concurrent 1000
    }
    cache 30 {
        disable success ${domain}
        disable denial ${domain}
    }
    loop
    reload
    loadbalance
}
`;
}

export function coreDnsService(spec: BootstrapManifestsConfigSpec): JsonObject {
  const addresses = [spec.dnsServiceIP, spec.dnsServiceIPv6].filter((address) => address !== '');
  const families = addresses.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4'));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kube-dns',
      namespace: 'kube-system',
      labels: { ...labels, 'kubernetes.io/cluster-service': 'true' },
      annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' },
    },
    spec: {
      selector,
      clusterIP: addresses[0] ?? '',
      clusterIPs: addresses,
      ipFamilies: families,
      ipFamilyPolicy: addresses.length > 1 ? 'RequireDualStack' : 'SingleStack',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
        { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
        { name: 'metrics', port: 9153, protocol: 'TCP', targetPort: 9153 },
      ],
    },
  };
}

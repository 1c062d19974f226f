import type { DocumentDocs } from './field-docs.ts';

const resources = {
  help: 'Processor and memory it asks for.',
  example: { requests: { cpu: '200m', memory: '512Mi' } },
};

/** Texts about generated documents that are about Kubernetes. */
export const kubernetesDocs: Readonly<Record<string, DocumentDocs>> = {
  KubeClusterConfig: {
    '': { help: 'The Kubernetes cluster that the node belongs to.' },
    clusterName: { help: 'Name of the cluster.' },
    endpoint: { help: 'URL that leads to the API servers.' },
  },
  KubeNodeConfig: {
    '': { help: 'How the node shows itself to Kubernetes.' },
    nodeIP: {
      help: 'Which of its addresses.',
      example: { validSubnets: ['192.0.2.0/24', '!192.0.2.128/25'] },
    },
    labels: { help: 'Labels of the node.', example: { 'example.org/rack': 'r12' } },
    annotations: { help: 'Annotations of the node.', example: { 'example.org/contact': 'team-a' } },
    taints: {
      help: 'Taints of the node: effect, or value:effect.',
      example: { 'example.org/dedicated': 'db:NoSchedule' },
    },
  },
  KubeletConfig: {
    '': { help: 'The kubelet.' },
    image: { help: 'Image of the kubelet.' },
    config: { help: 'Further fields of its configuration.', example: { serverTLSBootstrap: true } },
    extraArgs: { help: 'Further flags.', example: { 'event-qps': '50' } },
    clusterDNS: { help: 'Addresses of the cluster DNS.', example: ['10.96.0.10'] },
    defaultRuntimeSeccompProfileEnabled: { help: 'Give pods the seccomp profile of the runtime.' },
  },
  KubeNetworkConfig: {
    '': { help: 'Network of the cluster.' },
    dnsDomain: { help: 'Domain of the cluster DNS.' },
    podSubnets: { help: 'Subnets of pods.' },
    serviceSubnets: { help: 'Subnets of services.' },
    nodeCIDRMaskSizeIPv4: { help: 'Size of the part that each node gets.', example: 24 },
  },
  KubeAPIServerCAConfig: {
    '': { help: 'Authority of Kubernetes.' },
    issuingCA: { help: 'Signs certificates; control planes only.' },
    'issuingCA.cert': { help: 'Certificate, PEM.' },
    'issuingCA.key': { help: 'Private key, PEM.' },
    acceptedCAs: { help: 'Authorities whose certificates are accepted.' },
  },
  KubePrismConfig: {
    '': { help: 'Local balancer in front of the API servers.' },
    port: { help: 'Port on the loopback address.' },
  },
  KubeAggregatorCAConfig: {
    '': { help: 'Authority of the aggregation layer.' },
    issuingCA: { help: 'Signs its client certificate.' },
    'issuingCA.cert': { help: 'Certificate, PEM.' },
    'issuingCA.key': { help: 'Private key, PEM.' },
  },
  KubeAdmissionControlConfig: {
    '': { help: 'Configuration of one admission plug-in.' },
    name: { help: 'Name of the plug-in.' },
    configuration: { help: 'Its configuration.' },
  },
  KubeAuditPolicyConfig: {
    '': { help: 'What is written to the audit log.' },
    configuration: { help: 'An audit policy of Kubernetes.' },
  },
  KubeAuthenticationConfig: {
    '': { help: 'Who may call the API server and how it is told who calls.' },
    configuration: { help: 'An authentication configuration of Kubernetes.' },
  },
  KubeAuthorizerConfig: {
    '': { help: 'One authorizer; they are asked in the order of their documents.' },
    name: { help: 'Name of the authorizer.' },
    type: { help: 'Node, RBAC or Webhook.' },
  },
  KubeEtcdEncryptionConfig: {
    '': { help: 'Encryption of what Kubernetes keeps in etcd.' },
    config: { help: 'Providers by resource, the first one writes.' },
  },
  KubeServiceAccountConfig: {
    '': { help: 'Tokens of service accounts.' },
    issuer: { help: 'Who signs them.' },
    'issuer.privateKey': { help: 'Private key, PEM.' },
    'issuer.issuerURL': { help: 'Issuer named in the tokens.' },
  },
  KubeAPIServerConfig: {
    '': { help: 'kube-apiserver.' },
    image: { help: 'Image of kube-apiserver.' },
    extraArgs: { help: 'Further flags.', example: { 'max-requests-inflight': '800' } },
    resources,
    apiPort: { help: 'Port on each control plane.', example: 6443 },
    certExtraSANs: { help: 'Further names and addresses in its certificate.', example: ['k8s.example.org'] },
  },
  KubeControllerManagerConfig: {
    '': { help: 'kube-controller-manager.' },
    image: { help: 'Image of kube-controller-manager.' },
    extraArgs: { help: 'Further flags.', example: { v: '4' } },
    resources,
  },
  KubeSchedulerConfig: {
    '': { help: 'kube-scheduler.' },
    image: { help: 'Image of kube-scheduler.' },
    config: { help: 'Further fields of its configuration.', example: { parallelism: 8 } },
    extraArgs: { help: 'Further flags.', example: { v: '4' } },
    resources,
  },
  KubeProxyConfig: {
    '': { help: 'kube-proxy.' },
    enabled: { help: 'Whether it runs.', example: false },
    image: { help: 'Image of kube-proxy.' },
    mode: { help: 'How it sends traffic on.', example: 'nftables' },
    config: { help: 'Further fields of its configuration.', example: { conntrack: { maxPerCore: 65536 } } },
  },
  KubeFlannelCNIConfig: {
    '': { help: 'The built-in network plug-in.' },
    backendType: { help: 'How packets travel between nodes.' },
    backendPort: { help: 'Port of the tunnel.' },
    kubeNetworkPoliciesEnabled: { help: 'Enforce network policies.', example: true },
  },
  KubeCoreDNSConfig: {
    '': { help: 'The cluster DNS.' },
    enabled: { help: 'Whether it runs.' },
    image: { help: 'Image of CoreDNS.', example: 'registry.k8s.io/coredns/coredns:v1.14.7' },
  },
  KubeExternalManifestConfig: {
    '': { help: 'A manifest that is fetched and applied.' },
    name: { help: 'Name of this document.' },
    url: { help: 'Where it is fetched from.' },
  },
};

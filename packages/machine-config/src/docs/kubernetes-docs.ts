import type { DocumentDocs } from './field-docs.ts';

const resources = {
  help: 'CPU and memory requests of the pod.',
  example: { requests: { cpu: '200m', memory: '512Mi' } },
};

/** Help texts for generated documents that configure Kubernetes. */
export const kubernetesDocs: Readonly<Record<string, DocumentDocs>> = {
  KubeClusterConfig: {
    '': { help: 'The Kubernetes cluster that the node belongs to.' },
    clusterName: { help: 'Name of the cluster.' },
    endpoint: { help: 'URL of the Kubernetes API servers.' },
  },
  KubeNodeConfig: {
    '': { help: 'Registration of the node in Kubernetes.' },
    nodeIP: {
      help: 'Subnets from which the node address is chosen; ! excludes a subnet.',
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
    config: {
      help: 'Additional fields of the component configuration.',
      example: { serverTLSBootstrap: true },
    },
    extraArgs: { help: 'Additional command-line flags.', example: { 'event-qps': '50' } },
    clusterDNS: { help: 'Addresses of the cluster DNS.', example: ['10.96.0.10'] },
    defaultRuntimeSeccompProfileEnabled: {
      help: 'Run pods with the default seccomp profile of the container runtime.',
    },
  },
  KubeNetworkConfig: {
    '': { help: 'Network of the cluster.' },
    dnsDomain: { help: 'Domain of the cluster DNS.' },
    podSubnets: { help: 'Subnets of pods.' },
    serviceSubnets: { help: 'Subnets of services.' },
    nodeCIDRMaskSizeIPv4: { help: 'Prefix length of the pod subnet of each node.', example: 24 },
  },
  KubeAPIServerCAConfig: {
    '': { help: 'Certificate authority of Kubernetes.' },
    issuingCA: { help: 'Authority that signs certificates; control planes only.' },
    'issuingCA.cert': { help: 'Certificate, PEM.' },
    'issuingCA.key': { help: 'Private key, PEM.' },
    acceptedCAs: { help: 'Additional authorities whose certificates are accepted.' },
  },
  KubePrismConfig: {
    '': { help: 'Local load balancer for the Kubernetes API.' },
    port: { help: 'Port on the loopback address.' },
  },
  KubeAggregatorCAConfig: {
    '': { help: 'Certificate authority of the API aggregation layer.' },
    issuingCA: { help: 'Authority that signs the client certificate of the aggregator.' },
    'issuingCA.cert': { help: 'Certificate, PEM.' },
    'issuingCA.key': { help: 'Private key, PEM.' },
  },
  KubeAdmissionControlConfig: {
    '': { help: 'Configuration of one admission plug-in.' },
    name: { help: 'Name of the plug-in.' },
    configuration: { help: 'Configuration of the plug-in.' },
  },
  KubeAuditPolicyConfig: {
    '': { help: 'Policy of the Kubernetes audit log.' },
    configuration: { help: 'Kubernetes object of kind Policy (audit.k8s.io).' },
  },
  KubeAuthenticationConfig: {
    '': { help: 'How the API server authenticates clients.' },
    configuration: { help: 'Fields of the Kubernetes object AuthenticationConfiguration.' },
  },
  KubeAuthorizerConfig: {
    '': {
      help: 'One authorizer of the API server. The order of the documents is the order of the authorizers.',
    },
    name: { help: 'Name of the authorizer.' },
    type: { help: 'Node, RBAC or Webhook.' },
  },
  KubeEtcdEncryptionConfig: {
    '': { help: 'Encryption of Kubernetes resources in etcd.' },
    config: { help: 'Encryption providers per resource; the first provider encrypts new data.' },
  },
  KubeServiceAccountConfig: {
    '': { help: 'Tokens of service accounts.' },
    issuer: { help: 'Key and URL of the token issuer.' },
    'issuer.privateKey': { help: 'Private key, PEM.' },
    'issuer.issuerURL': { help: 'URL of the issuer in the tokens.' },
  },
  KubeAPIServerConfig: {
    '': { help: 'kube-apiserver.' },
    image: { help: 'Image of kube-apiserver.' },
    extraArgs: { help: 'Additional command-line flags.', example: { 'max-requests-inflight': '800' } },
    resources,
    apiPort: { help: 'Port on each control plane.', example: 6443 },
    certExtraSANs: {
      help: 'Additional DNS names and IP addresses in the server certificate.',
      example: ['k8s.example.org'],
    },
  },
  KubeControllerManagerConfig: {
    '': { help: 'kube-controller-manager.' },
    image: { help: 'Image of kube-controller-manager.' },
    extraArgs: { help: 'Additional command-line flags.', example: { v: '4' } },
    resources,
  },
  KubeSchedulerConfig: {
    '': { help: 'kube-scheduler.' },
    image: { help: 'Image of kube-scheduler.' },
    config: { help: 'Additional fields of the component configuration.', example: { parallelism: 8 } },
    extraArgs: { help: 'Additional command-line flags.', example: { v: '4' } },
    resources,
  },
  KubeProxyConfig: {
    '': { help: 'kube-proxy.' },
    enabled: { help: 'Whether the component runs.', example: false },
    image: { help: 'Image of kube-proxy.' },
    mode: { help: 'Proxy mode: nftables, iptables or ipvs.', example: 'nftables' },
    config: {
      help: 'Additional fields of the component configuration.',
      example: { conntrack: { maxPerCore: 65536 } },
    },
  },
  KubeFlannelCNIConfig: {
    '': { help: 'The built-in network plug-in.' },
    backendType: { help: 'Flannel backend that carries packets between nodes.' },
    backendPort: { help: 'UDP port of the tunnel.' },
    kubeNetworkPoliciesEnabled: { help: 'Enforce network policies.', example: true },
  },
  KubeCoreDNSConfig: {
    '': { help: 'The cluster DNS.' },
    enabled: { help: 'Whether the component runs.' },
    image: { help: 'Image of CoreDNS.', example: 'registry.k8s.io/coredns/coredns:v1.14.7' },
  },
  KubeExternalManifestConfig: {
    '': { help: 'A manifest that is downloaded and applied to the cluster.' },
    name: { help: 'Name of this document.' },
    url: { help: 'URL of the manifest.' },
  },
};

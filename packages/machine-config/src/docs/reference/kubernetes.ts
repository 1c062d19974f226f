import {
  appliedInProcessClusters,
  controlPlaneResourcesOf,
  defaultRequests,
  dnsDomainNote,
  environment,
  extraArgs,
  kubeletKubeconfigNote,
  kubeletNote,
  nodeObjectNote,
  nodeSettings,
  processNotes,
  protectedKubeletFields,
  resourcesOf,
  runsInProcessClusters,
  staticPodNote,
  taintNote,
} from './kubernetes-parts.ts';
import { type KindReferences, notRead, type ReferenceDocs } from './reference-docs.ts';
import { certificatePem, keyBase64, privateKeyPem } from './sample-values.ts';

const documentName = {
  help: 'Name of this document, a DNS name in lower case.',
  example: 'example',
  isRequired: true,
};

const authority: ReferenceDocs = {
  'issuingCA.cert': { help: 'Certificate of the authority, PEM.', example: certificatePem, isRequired: true },
  'issuingCA.key': {
    help: 'Private key of the authority, PEM; it is a secret.',
    example: privateKeyPem,
    isRequired: true,
  },
  acceptedCAs: {
    help: 'Certificates of additional authorities whose certificates are accepted, PEM.',
    example: [certificatePem],
  },
};
const image = (program: string, example: string) => ({
  help: `Image of ${program}; its tag is the version of Kubernetes.`,
  example,
  isRequired: true,
});
const controlPlaneImage = (program: string) => ({
  ...image(program, `registry.k8s.io/${program}:v1.37.0`),
  notApplied: processNotes.image,
});
const controlPlaneArgs = { ...extraArgs, notApplied: processNotes.extraArgs };
const enabled = (program: string) => ({
  help: `Whether ${program} runs; if not, the rest of the document is not checked.`,
  default: 'true',
});

/** Source: Talos v1.14: machine configuration, Kubernetes. */
export const kubernetesReferences: KindReferences = {
  KubeClusterConfig: {
    '': { help: 'Name and API endpoint of the Kubernetes cluster that the node belongs to.' },
    clusterName: {
      help: 'Name of the cluster; client configurations that a node issues name their context by it.',
      example: 'cluster-1',
      isRequired: true,
    },
    endpoint: {
      help: 'URL of the Kubernetes API servers; workers request their certificates from the same host.',
      example: 'https://k8s.example.org:6443',
      isRequired: true,
    },
  },
  KubeNetworkConfig: {
    '': {
      help: 'Names and subnets of pods and services.',
    },
    dnsDomain: {
      help: 'Domain of the cluster DNS.',
      example: 'cluster.local',
      default: 'cluster.local',
      notApplied: dnsDomainNote,
    },
    podSubnets: {
      help: 'One or two subnets of pods, at most one per address family, not longer than the mask of a node. Patches replace them.',
      example: ['10.244.0.0/16'],
      isRequired: true,
    },
    serviceSubnets: {
      help: 'Subnets of services, as many as of pods, with at most 20 bits for hosts. Patches replace them.',
      example: ['10.96.0.0/12'],
      isRequired: true,
    },
    nodeCIDRMaskSizeIPv4: {
      help: 'Prefix length of the IPv4 pod subnet of each node, 1 to 32.',
      default: '24',
      notApplied: runsInProcessClusters,
    },
    nodeCIDRMaskSizeIPv6: {
      help: 'Prefix length of the IPv6 pod subnet of each node, 1 to 128.',
      example: 80,
      default: '64',
      notApplied: runsInProcessClusters,
    },
  },
  KubeNodeConfig: {
    '': {
      help: 'Name, addresses, labels and taints of the Kubernetes node.',
      notApplied: kubeletNote,
    },
    skipNodeRegistration: nodeSettings.skipNodeRegistration,
    registerWithFQDN: nodeSettings.registerWithFQDN,
    nodeIP: { help: 'Addresses of the Kubernetes node.' },
    'nodeIP.validSubnets': nodeSettings.validSubnets,
    labels: { ...nodeSettings.labels, notApplied: nodeObjectNote },
    annotations: { ...nodeSettings.annotations, notApplied: nodeObjectNote },
    taints: { ...nodeSettings.taints, notApplied: taintNote },
  },
  KubeletConfig: {
    '': { help: 'Image, flags and configuration of the kubelet.', notApplied: kubeletNote },
    image: image('the kubelet', 'ghcr.io/siderolabs/kubelet:v1.37.0'),
    config: { help: `Fields that are merged into KubeletConfiguration. ${protectedKubeletFields}` },
    extraArgs: { ...extraArgs, example: { 'event-qps': '50' } },
    clusterDNS: {
      help: 'Addresses of the cluster DNS that pods use.',
      default: 'the tenth address of each service subnet',
    },
    defaultRuntimeSeccompProfileEnabled: {
      help: 'Whether pods without a seccomp profile get the default one of the container runtime.',
      default: 'false',
    },
  },
  KubeCredentialProviderConfig: {
    '': { help: 'How the kubelet gets credentials for registries.', notApplied: kubeletNote },
    configuration: {
      help: 'Kubernetes object CredentialProviderConfig. Patches replace it.',
      example: {
        apiVersion: 'kubelet.config.k8s.io/v1',
        kind: 'CredentialProviderConfig',
        providers: [
          {
            name: 'ecr-credential-provider',
            apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
            defaultCacheDuration: '12h',
            matchImages: ['*.dkr.ecr.*.amazonaws.com'],
          },
        ],
      },
    },
  },
  KubePrismConfig: {
    '': {
      help: 'Load balancer for the Kubernetes API on each node; its presence turns it on.',
    },
    port: { help: 'Port on the loopback address, 1 to 65535.', example: 7445, isRequired: true },
    tlsServerName: {
      help: 'TLS server name for connections to the API servers through the load balancer.',
      example: 'k8s.example.org',
      default: 'none',
      notApplied: kubeletKubeconfigNote,
    },
  },
  KubeAPIServerCAConfig: {
    '': { help: 'Certificate authority of Kubernetes.' },
    issuingCA: { help: 'Authority that signs certificates of Kubernetes; only control planes have it.' },
    ...authority,
  },
  KubeStaticPodConfig: {
    '': { help: 'A static pod; it is added to those of machine.pods.', notApplied: staticPodNote },
    name: { ...documentName, example: 'proxy' },
    pod: {
      help: 'Kubernetes object of kind Pod. Patches replace it.',
      example: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'proxy' },
        spec: { containers: [{ name: 'proxy', image: 'registry.example.org/proxy:1.2' }] },
      },
      isRequired: true,
    },
  },
  KubeExternalManifestConfig: {
    '': {
      help: 'A manifest that is downloaded and applied to the cluster.',
      notApplied: appliedInProcessClusters,
    },
    name: { ...documentName, example: 'metrics' },
    headers: {
      help: 'HTTP headers of the request; they may be secrets.',
      example: { Authorization: 'Bearer example-token' },
    },
    url: {
      help: 'URL of the manifest, http or https.',
      example: 'https://www.example.org/metrics.yaml',
      isRequired: true,
    },
  },
  KubeInlineManifestConfig: {
    '': {
      help: 'A manifest in the configuration, which is applied to the cluster.',
      notApplied: appliedInProcessClusters,
    },
    name: { ...documentName, example: 'namespace-ci' },
    manifest: {
      help: 'Kubernetes objects as YAML.',
      example: 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n',
    },
  },
  KubeAPIServerConfig: {
    '': {
      help: 'Image, port, flags and certificate of kube-apiserver, on control planes.',
      notApplied: runsInProcessClusters,
    },
    image: controlPlaneImage('kube-apiserver'),
    extraArgs: {
      help: `${extraArgs.help} Flags of authentication and authorization are refused.`,
      example: { 'max-requests-inflight': '800' },
      notApplied: processNotes.extraArgs,
    },
    env: environment,
    ...controlPlaneResourcesOf(defaultRequests.apiServer),
    apiPort: { help: 'Port of the API server on each control plane.', default: '6443' },
    startupProbes: {
      help: 'Whether the pod has a startup probe and health checks.',
      default: 'true',
      notApplied: processNotes.startupProbes,
    },
  },
  KubeControllerManagerConfig: {
    '': {
      help: 'Image and flags of kube-controller-manager, on control planes.',
      notApplied: runsInProcessClusters,
    },
    enabled: enabled('kube-controller-manager'),
    image: controlPlaneImage('kube-controller-manager'),
    extraArgs: controlPlaneArgs,
    env: environment,
    ...controlPlaneResourcesOf(defaultRequests.controllerManager),
  },
  KubeSchedulerConfig: {
    '': {
      help: 'Image, flags and configuration of kube-scheduler, on control planes.',
      notApplied: runsInProcessClusters,
    },
    enabled: enabled('kube-scheduler'),
    image: controlPlaneImage('kube-scheduler'),
    config: { help: 'Fields that are merged into KubeSchedulerConfiguration.' },
    extraArgs: controlPlaneArgs,
    env: environment,
    ...controlPlaneResourcesOf(defaultRequests.scheduler),
  },
  KubeProxyConfig: {
    '': {
      help: 'Image and configuration of kube-proxy, on control planes.',
      notApplied: appliedInProcessClusters,
    },
    enabled: enabled('kube-proxy'),
    image: image('kube-proxy', 'registry.k8s.io/kube-proxy:v1.37.0'),
    mode: {
      help: 'How services are translated: nftables, or iptables and ipvs, which are deprecated.',
      default: 'nftables',
    },
    config: { help: 'Fields that are merged into KubeProxyConfiguration.' },
    extraArgs: { help: `${extraArgs.help} They do not change what config sets.`, example: { v: '4' } },
    ...resourcesOf(defaultRequests.proxy),
  },
  KubeCoreDNSConfig: {
    '': { help: 'The cluster DNS (CoreDNS), on control planes.', notApplied: appliedInProcessClusters },
    enabled: enabled('CoreDNS'),
    image: {
      help: 'Image of CoreDNS; not empty.',
      default: 'registry.k8s.io/coredns/coredns:v1.14.7',
    },
  },
  KubeFlannelCNIConfig: {
    '': {
      help: 'The network plug-in flannel, on control planes; its presence installs it.',
      notApplied: appliedInProcessClusters,
    },
    backendType: {
      help: 'Flannel backend that carries packets between nodes.',
      example: 'vxlan',
      isRequired: true,
    },
    backendPort: {
      help: 'UDP port of the tunnel; 0 is the default of the backend.',
      example: 4789,
      default: '0',
    },
    backendMTU: {
      help: 'Size of the largest packet in the tunnel (MTU), in bytes.',
      example: 1400,
      default: 'that of KubeSpan if it is enabled, otherwise chosen by flannel',
    },
    backendExtraConfig: {
      help: 'Additional fields of the configuration of the backend.',
      example: { DirectRouting: true },
    },
    ...resourcesOf(defaultRequests.flannel),
    extraArgs: {
      help: 'Additional command-line flags of flanneld, each with its dashes.',
      example: ['--iface-can-reach=192.0.2.1'],
    },
    kubeNetworkPoliciesEnabled: {
      help: 'Whether a second container enforces network policies.',
      default: 'false',
    },
  },
  KubeAggregatorCAConfig: {
    '': {
      help: 'Certificate authority of the API aggregation layer, on control planes.',
      notApplied: runsInProcessClusters,
    },
    issuingCA: {
      help: 'Authority that signs the client certificate of the aggregator.',
      isRequired: true,
    },
    ...authority,
  },
  KubeServiceAccountConfig: {
    '': {
      help: 'Keys and issuers of the tokens of service accounts, on control planes.',
      notApplied: runsInProcessClusters,
    },
    issuer: { help: 'Key and URL of the issuer of new tokens.', isRequired: true },
    'issuer.privateKey': {
      help: 'Private key that signs tokens, PEM; it is a secret.',
      example: privateKeyPem,
      isRequired: true,
    },
    'issuer.issuerURL': {
      help: 'URL of the issuer in the tokens.',
      example: 'https://k8s.example.org:6443',
      isRequired: true,
    },
    accepted: {
      help: 'Additional tokens that the API server accepts, for example while the key is replaced.',
    },
    'accepted.publicKeys': {
      help: 'Additional public keys that tokens are checked with, PEM.',
      example: ['-----BEGIN PUBLIC KEY-----\nMIIB...\n-----END PUBLIC KEY-----\n'],
    },
    'accepted.issuers': { help: 'Additional issuers of tokens.', example: ['https://old.example.org:6443'] },
    'accepted.audiences': { help: 'Additional audiences of tokens.', example: ['https://api.example.org'] },
  },
  KubeEtcdEncryptionConfig: {
    '': {
      help: 'Encryption of Kubernetes resources in etcd, on control planes.',
      notApplied: runsInProcessClusters,
    },
    config: {
      help: 'Fields of the Kubernetes object EncryptionConfiguration; the first provider of a resource encrypts new data.',
      example: {
        resources: [
          {
            resources: ['secrets'],
            providers: [
              {
                secretbox: {
                  keys: [{ name: 'key2', secret: keyBase64 }],
                },
              },
              { identity: {} },
            ],
          },
        ],
      },
      isRequired: true,
    },
  },
  KubeAdmissionControlConfig: {
    '': {
      help: 'Configuration of one admission plug-in of kube-apiserver, on control planes.',
      notApplied: runsInProcessClusters,
    },
    name: { help: 'Name of the plug-in.', example: 'PodSecurity', isRequired: true },
    configuration: {
      help: 'Configuration of the plug-in.',
      example: {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: { enforce: 'baseline' },
      },
    },
  },
  KubeAuditPolicyConfig: {
    '': {
      help: 'Policy of the audit log of kube-apiserver, on control planes.',
      notApplied: runsInProcessClusters,
    },
    configuration: {
      help: 'Kubernetes object of kind Policy (audit.k8s.io). Patches replace it.',
      example: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
    },
  },
  KubeAuthenticationConfig: {
    '': {
      help: 'How kube-apiserver authenticates clients, on control planes.',
      notApplied: runsInProcessClusters,
    },
    configuration: {
      help: 'Fields of the Kubernetes object AuthenticationConfiguration. Patches replace it.',
      example: { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } },
    },
  },
  KubeAuthorizerConfig: {
    '': {
      help: 'One authorizer of kube-apiserver, on control planes; the order of the documents is the order of the authorizers.',
      notApplied: runsInProcessClusters,
    },
    name: { help: 'Name of the authorizer.', example: 'rbac', isRequired: true },
    type: { help: 'Type of the authorizer.', example: 'RBAC', isRequired: true },
    webhook: {
      help: 'Settings of the webhook; required for the type Webhook, and without effect for others.',
      example: {
        timeout: '3s',
        subjectAccessReviewVersion: 'v1',
        matchConditionSubjectAccessReviewVersion: 'v1',
        failurePolicy: 'NoOpinion',
        connectionInfo: { type: 'InClusterConfig' },
      },
    },
  },
  KubeTalosAPIAccessConfig: {
    '': {
      help: 'Access to the OS API from pods, on control planes; its presence turns it on.',
      notApplied: notRead,
    },
    allowedRoles: {
      help: 'Roles that pods may get: os:admin, os:operator, os:reader, os:etcd:backup, os:impersonator and others.',
      example: ['os:reader'],
    },
    allowedKubernetesNamespaces: {
      help: 'Namespaces whose pods may get access.',
      example: ['kube-system'],
    },
  },
};

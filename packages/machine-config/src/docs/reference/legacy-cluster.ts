import { defaultEtcdImage } from '../../effective/etcd-settings.ts';
import {
  appliedInProcessClusters,
  controlPlaneResourcesOf,
  defaultRequests,
  dnsDomainNote,
  environment,
  extraArgs,
  processNotes,
  runsInProcessClusters,
  taintNote,
} from './kubernetes-parts.ts';
import { acceptedAuthority, authority } from './legacy-machine.ts';
import { inside, onlyOn, onNoNode, type ReferenceDocs } from './reference-docs.ts';
import { keyBase64 } from './sample-values.ts';

const extraVolumes: ReferenceDocs = {
  extraVolumes: {
    help: 'Additional folders of the node in the pod.',
    notApplied: processNotes.extraVolumes,
  },
  'extraVolumes.hostPath': { help: 'Path on the node.', example: '/var/lib/example' },
  'extraVolumes.mountPath': { help: 'Path in the pod.', example: '/etc/example' },
  'extraVolumes.readonly': {
    help: 'Whether the pod cannot write there.',
    default: 'false',
    notApplied: processNotes.readonly,
  },
};
const componentImage = (name: string) => ({
  help: `Image of ${name}; its tag is the version of Kubernetes.`,
  example: `registry.k8s.io/${name}:v1.37.0`,
});
/** What the components of the control plane have in common. */
const component = (name: string, requests: string): ReferenceDocs => ({
  image: { ...componentImage(name), notApplied: processNotes.image },
  extraArgs: { help: extraArgs.help, notApplied: processNotes.extraArgs },
  ...extraVolumes,
  env: environment,
  ...controlPlaneResourcesOf(requests),
});

/** Source: Talos v1.14: machine configuration, v1alpha1 document, `cluster`. */
export const legacyClusterReference: ReferenceDocs = inside('cluster', {
  '': { help: 'Settings that all nodes of the cluster share.', isRequired: true },
  id: {
    help: 'ID of the cluster for discovery, any text; replaced by DiscoveryIdentityConfig.',
    example: 'q0kTZ0q9RlnZfjrfvJcXKsUHOZSgvpVhBDQUE0MHMxI=',
  },
  secret: {
    help: 'Key of the cluster for discovery, base64 of 32 bytes; it is a secret. Replaced by DiscoveryIdentityConfig.',
    example: keyBase64,
    notApplied: onNoNode('Nodes publish it for discovery services, which they do not use yet.'),
  },
  controlPlane: { help: 'The Kubernetes control plane.' },
  'controlPlane.endpoint': {
    help: 'URL of the Kubernetes API servers, from whose host workers request certificates; replaced by KubeClusterConfig.',
    example: 'https://k8s.example.org:6443',
    isRequired: true,
  },
  'controlPlane.localAPIServerPort': {
    help: 'Port of the API server on each control plane; replaced by KubeAPIServerConfig.',
    example: 6443,
    default: '6443',
    notApplied: runsInProcessClusters,
  },
  clusterName: { help: 'Name of the cluster; replaced by KubeClusterConfig.', example: 'cluster-1' },
  network: { help: 'Network of the cluster; replaced by KubeNetworkConfig.' },
  'network.cni': {
    help: 'Network plug-in; replaced by KubeFlannelCNIConfig and manifests.',
    default: 'flannel',
    notApplied: appliedInProcessClusters,
  },
  'network.cni.name': {
    help: 'flannel, custom (manifests in urls) or none.',
    example: 'flannel',
    isRequired: true,
  },
  'network.cni.urls': {
    help: 'URLs of the manifests of a custom network plug-in.',
    example: ['https://www.example.org/cni.yaml'],
  },
  'network.cni.flannel': { help: 'Settings of flannel.' },
  'network.cni.flannel.extraArgs': {
    help: 'Additional command-line flags of flanneld, each with its dashes.',
    example: ['--iface-can-reach=192.0.2.1'],
  },
  'network.cni.flannel.kubeNetworkPoliciesEnabled': {
    help: 'Whether a second container enforces network policies.',
    default: 'false',
  },
  'network.dnsDomain': {
    help: 'Domain of the cluster DNS.',
    example: 'cluster.local',
    default: 'cluster.local',
    notApplied: dnsDomainNote,
  },
  'network.podSubnets': {
    help: 'Subnets of pods; nodes keep them out of their own addresses. Patches replace them.',
    example: ['10.244.0.0/16'],
    default: '10.244.0.0/16',
  },
  'network.serviceSubnets': {
    help: 'Subnets of services; nodes keep them out of their own addresses. Patches replace them.',
    example: ['10.96.0.0/12'],
    default: '10.96.0.0/12',
  },
  token: {
    help: 'Bootstrap token with which a kubelet joins the cluster; it is a secret.',
    example: 'abcdef.0123456789abcdef',
    notApplied: appliedInProcessClusters,
  },
  aescbcEncryptionSecret: {
    help: 'Key that encrypts secrets in etcd (AES-CBC), base64 of 32 bytes; replaced by KubeEtcdEncryptionConfig.',
    example: keyBase64,
    notApplied: runsInProcessClusters,
  },
  secretboxEncryptionSecret: {
    help: 'Key that encrypts secrets in etcd (secretbox), base64 of 32 bytes; replaced by KubeEtcdEncryptionConfig.',
    example: keyBase64,
    notApplied: runsInProcessClusters,
  },
  ca: {
    help: 'Certificate authority of Kubernetes, without its key on workers; replaced by KubeAPIServerCAConfig.',
  },
  ...inside('ca', authority),
  acceptedCAs: {
    help: 'Additional authorities of Kubernetes whose certificates are accepted.',
  },
  'acceptedCAs.crt': acceptedAuthority,
  aggregatorCA: {
    help: 'Certificate authority of the API aggregation layer; replaced by KubeAggregatorCAConfig.',
    notApplied: runsInProcessClusters,
  },
  ...inside('aggregatorCA', authority),
  serviceAccount: {
    help: 'Key that signs the tokens of service accounts; replaced by KubeServiceAccountConfig.',
    notApplied: runsInProcessClusters,
  },
  'serviceAccount.key': authority.key ?? {},
  apiServer: {
    help: 'kube-apiserver; replaced by KubeAPIServerConfig and others.',
    notApplied: runsInProcessClusters,
  },
  ...inside('apiServer', {
    ...component('kube-apiserver', defaultRequests.apiServer),
    certSANs: {
      help: 'Additional DNS names and IP addresses in the certificate of the API server.',
      example: ['k8s.example.org'],
    },
    disablePodSecurityPolicy: { help: 'Ignored: Kubernetes has no pod security policies any more.' },
    admissionControl: {
      help: 'Configuration of admission plug-ins, merged by name in patches; replaced by KubeAdmissionControlConfig.',
    },
    'admissionControl.name': { help: 'Name of the plug-in.', example: 'PodSecurity' },
    'admissionControl.configuration': {
      help: 'Configuration of the plug-in.',
      example: {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: { enforce: 'baseline' },
      },
    },
    auditPolicy: {
      help: 'Kubernetes object of kind Policy for the audit log. Patches replace it; replaced by KubeAuditPolicyConfig.',
      example: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
      default: 'one rule with level Metadata for all requests',
    },
    authorizationConfig: {
      help: 'Authorizers of the API server, in the order in which they are asked; replaced by KubeAuthorizerConfig.',
    },
    'authorizationConfig.type': { help: 'Node, RBAC or Webhook.', example: 'RBAC', isRequired: true },
    'authorizationConfig.name': { help: 'Name of the authorizer.', example: 'rbac', isRequired: true },
    'authorizationConfig.webhook': {
      help: 'Settings of the webhook, for the type Webhook.',
      example: { timeout: '3s', failurePolicy: 'NoOpinion', connectionInfo: { type: 'InClusterConfig' } },
    },
  }),
  controllerManager: {
    help: 'kube-controller-manager; replaced by KubeControllerManagerConfig.',
    notApplied: runsInProcessClusters,
  },
  ...inside('controllerManager', component('kube-controller-manager', defaultRequests.controllerManager)),
  proxy: { help: 'kube-proxy; replaced by KubeProxyConfig.', notApplied: appliedInProcessClusters },
  'proxy.disabled': { help: 'Whether kube-proxy does not run.', default: 'false' },
  'proxy.image': componentImage('kube-proxy'),
  'proxy.mode': {
    help: 'How services are translated: nftables, iptables or ipvs.',
    example: 'nftables',
    default: 'iptables',
  },
  'proxy.extraArgs': extraArgs,
  scheduler: { help: 'kube-scheduler; replaced by KubeSchedulerConfig.', notApplied: runsInProcessClusters },
  ...inside('scheduler', {
    ...component('kube-scheduler', defaultRequests.scheduler),
    config: { help: 'Fields that are merged into KubeSchedulerConfiguration.', example: { parallelism: 8 } },
  }),
  discovery: {
    help: 'How members of the cluster find each other; replaced by DiscoveryServiceConfig.',
    notApplied: onNoNode(
      'Nodes publish it as the resource DiscoveryConfigs: members find each other through etcd.',
    ),
  },
  'discovery.enabled': { help: 'Whether discovery is enabled.', default: 'false' },
  'discovery.registries.kubernetes': {
    help: 'Registry in annotations of Kubernetes nodes; it does not work with Kubernetes 1.32 and later.',
  },
  'discovery.registries.kubernetes.disabled': {
    help: 'Whether this registry is not used.',
    default: 'false',
  },
  'discovery.registries.service.disabled': { help: 'Whether this registry is not used.', default: 'false' },
  'discovery.registries.service.endpoint': {
    help: 'URL of the service, without a path.',
    example: 'https://discovery.example.org/',
    default: 'https://discovery.talos.dev/',
  },
  etcd: { help: 'etcd; only on control planes.' },
  'etcd.image': {
    help: 'Image of etcd, where it runs in a container.',
    notApplied: onlyOn(['stack', 'container', 'machine'], 'The program of a process does not come from it.'),
    default: defaultEtcdImage,
  },
  'etcd.ca': { help: 'Certificate authority of etcd, with its key.', isRequired: true },
  ...inside('etcd.ca', authority),
  'etcd.extraArgs': {
    help: 'Additional command-line flags of etcd by name, without dashes; flags that the node sets itself are refused.',
  },
  'etcd.subnet': {
    help: 'The old form of advertisedSubnets, and not together with it.',
    example: '192.0.2.0/24',
  },
  'etcd.advertisedSubnets': {
    help: 'Networks or addresses from which etcd advertises an address; ! in front excludes.',
    default: 'the first routable address',
  },
  'etcd.listenSubnets': {
    help: 'Networks or addresses on which etcd listens; ! in front excludes.',
    example: ['192.0.2.0/24'],
    default: 'advertisedSubnets, otherwise all addresses',
  },
  coreDNS: {
    help: 'The cluster DNS (CoreDNS); replaced by KubeCoreDNSConfig.',
    notApplied: appliedInProcessClusters,
  },
  'coreDNS.disabled': { help: 'Whether CoreDNS does not run.', default: 'false' },
  'coreDNS.image': {
    help: 'Image of CoreDNS.',
    example: 'registry.k8s.io/coredns/coredns:v1.14.7',
    default: 'registry.k8s.io/coredns/coredns:v1.14.7',
  },
  externalCloudProvider: { help: 'A cloud provider that runs in the cluster.' },
  'externalCloudProvider.enabled': {
    help: 'Whether the components of Kubernetes are told that the cloud provider is external.',
    default: 'false',
    notApplied: runsInProcessClusters,
  },
  'externalCloudProvider.manifests': {
    help: 'URLs of manifests that are applied to the cluster; needs enabled.',
    example: ['https://www.example.org/cloud-provider.yaml'],
    notApplied: appliedInProcessClusters,
  },
  extraManifests: {
    help: 'URLs of manifests that are applied to the cluster; replaced by KubeExternalManifestConfig.',
    example: ['https://www.example.org/metrics.yaml'],
    notApplied: appliedInProcessClusters,
  },
  extraManifestHeaders: {
    help: 'HTTP headers of the requests for extraManifests; they may be secrets.',
    example: { Authorization: 'Bearer example-token' },
    notApplied: appliedInProcessClusters,
  },
  inlineManifests: {
    help: 'Manifests in the configuration that are applied to the cluster; replaced by KubeInlineManifestConfig.',
    notApplied: appliedInProcessClusters,
  },
  'inlineManifests.name': {
    help: 'Name of the manifest, used once.',
    example: 'namespace-ci',
    isRequired: true,
  },
  'inlineManifests.contents': {
    help: 'Kubernetes objects as YAML; empty lines at the beginning are removed.',
    example: 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n',
  },
  adminKubeconfig: { help: 'The kubeconfig that nodes issue to administrators.' },
  'adminKubeconfig.certLifetime': {
    help: 'How long the certificate in it is valid.',
    example: '1h0m0s',
    default: '8760h0m0s',
  },
  allowSchedulingOnMasters: {
    help: 'Old name of allowSchedulingOnControlPlanes.',
    default: 'false',
    notApplied: taintNote,
  },
  allowSchedulingOnControlPlanes: {
    help: 'Whether control planes have no NoSchedule taint; replaced by taints of KubeNodeConfig.',
    default: 'false',
    notApplied: taintNote,
  },
});

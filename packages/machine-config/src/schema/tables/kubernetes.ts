import type { SchemaTable } from '../parse-schema.ts';

/** Documents that configure Kubernetes. Source: Talos v1.14: machine configuration, keys of the documents. */
export const kubernetesDocuments: SchemaTable = {
  KubeAPIServerCAConfig: `
    issuingCA obj
      cert str
      key str
    acceptedCAs strs
  `,
  KubeAPIServerConfig: `
    image str !
    extraArgs args
    env map:str
    +resources
    apiPort int
    certExtraSANs strs
    startupProbes bool
  `,
  KubeAdmissionControlConfig: `
    name str !
    configuration free !
  `,
  KubeAggregatorCAConfig: `
    issuingCA obj
      cert str
      key str
    acceptedCAs strs
  `,
  KubeAuditPolicyConfig: `
    configuration free ! =
  `,
  KubeAuthenticationConfig: `
    configuration free ! =
  `,
  KubeAuthorizerConfig: `
    name str !
    type enum:Node|RBAC|Webhook ! ""
    webhook free
  `,
  KubeClusterConfig: `
    clusterName str !
    endpoint url !
  `,
  KubeControllerManagerConfig: `
    enabled bool
    image str !
    extraArgs args
    env map:str
    +resources
  `,
  KubeCoreDNSConfig: `
    enabled bool
    image str
  `,
  KubeCredentialProviderConfig: `
    configuration free ! =
  `,
  KubeEtcdEncryptionConfig: `
    config free !
  `,
  KubeExternalManifestConfig: `
    name str !
    headers map:str
    url url !
  `,
  KubeFlannelCNIConfig: `
    backendType str !
    backendPort uint16
    backendMTU uint32
    backendExtraConfig free
    +resources
    extraArgs strs
    kubeNetworkPoliciesEnabled bool
  `,
  KubeInlineManifestConfig: `
    name str !
    manifest str !
  `,
  KubeNetworkConfig: `
    dnsDomain str !
    podSubnets prefixes ! =
    serviceSubnets prefixes ! =
    nodeCIDRMaskSizeIPv4 int
    nodeCIDRMaskSizeIPv6 int
  `,
  KubeNodeConfig: `
    skipNodeRegistration bool
    registerWithFQDN bool
    nodeIP obj !
      validSubnets strs
    labels map:str
    annotations map:str
    taints map:str
  `,
  KubePrismConfig: `
    port int !
    tlsServerName str
  `,
  KubeProxyConfig: `
    enabled bool
    image str
    mode str
    config free !
    extraArgs args
    +resources
  `,
  KubeSchedulerConfig: `
    enabled bool
    image str !
    config free !
    extraArgs args
    env map:str
    +resources
  `,
  KubeServiceAccountConfig: `
    issuer obj !
      privateKey str !
      issuerURL url !
    accepted obj
      publicKeys strs
      issuers strs
      audiences strs
  `,
  KubeStaticPodConfig: `
    name str !
    pod free ! =
  `,
  KubeTalosAPIAccessConfig: `
    allowedRoles strs
    allowedKubernetesNamespaces strs
  `,
  KubeletConfig: `
    image str !
    config free !
    extraArgs args
    clusterDNS strs
    defaultRuntimeSeccompProfileEnabled bool
  `,
};

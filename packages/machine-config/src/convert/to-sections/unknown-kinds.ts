/** Kinds that 1.14 added. Source: Talos v1.13.9: validate, which answers "not registered" for each of them. */
export const unknownKinds: ReadonlySet<string> = new Set(
  `FilesystemTrimConfig FilesystemScrubConfig LVMVolumeGroupConfig LVMLogicalVolumeConfig RAIDArrayConfig ImageCacheConfig
  CRICustomizationConfig CRIBaseRuntimeSpecConfig ContainerConfig KubeAPIServerCAConfig KubeAPIServerConfig
  KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAuditPolicyConfig KubeAuthenticationConfig KubeAuthorizerConfig
  KubeClusterConfig KubeControllerManagerConfig KubeCoreDNSConfig KubeCredentialProviderConfig KubeEtcdEncryptionConfig
  KubeExternalManifestConfig KubeFlannelCNIConfig KubeInlineManifestConfig KubeNetworkConfig KubeNodeConfig KubePrismConfig
  KubeProxyConfig KubeSchedulerConfig KubeServiceAccountConfig KubeStaticPodConfig KubeTalosAPIAccessConfig KubeletConfig
  VethConfig HTTPProbeConfig BGPInstanceConfig KernelModuleConfig SysctlConfig SysfsConfig UdevRulesConfig
  SecurityProfileConfig EtcFileConfig UnattendedInstallConfig DiscoveryServiceConfig DiscoveryIdentityConfig`.split(
    /\s+/,
  ),
);

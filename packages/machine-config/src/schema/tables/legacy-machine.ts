/**
 * The fields of `machine`, except those of `network`. Source: Talos v1.14: machine configuration, v1alpha1
 * document.
 */
export const legacyMachineFields = `
type str !
token str !
ca obj =
  crt str !
  key str !
acceptedCAs list
  crt str !
certSANs strs !
controlPlane obj
  controllerManager obj
    disabled bool
  scheduler obj
    disabled bool
kubelet obj
  image str
  clusterDNS strs
  extraArgs args
  extraMounts list
    destination str !
    type str
    source str
    options strs
    uidMappings list
      containerID uint32 !
      hostID uint32 !
      size uint32 !
    gidMappings list
      containerID uint32 !
      hostID uint32 !
      size uint32 !
  extraConfig free
  credentialProviderConfig free
  defaultRuntimeSeccompProfileEnabled bool
  registerWithFQDN bool
  nodeIP obj
    validSubnets strs
  skipNodeRegistration bool
  disableManifestsDirectory bool
pods frees
network obj
disks list
  device str
  partitions list
    size size
    mountpoint str
install obj
  disk str
  diskSelector obj
    size str
    name str
    model str
    serial str
    modalias str
    uuid str
    wwid str
    type str
    busPath str
  extraKernelArgs strs
  image str
  extensions list
    image str !
  bootloader bool
  wipe bool !null
  legacyBIOSSupport bool
  grubUseUKICmdline bool
files list
  content str !
  permissions mode !
  path str !
  op str !
env map:str
time obj
  disabled bool
  servers strs
  bootTimeout dur
sysctls map:str
sysfs map:str
registries obj -
  mirrors map
    endpoints strs !
    overridePath bool
    skipFallback bool
  config map
    tls obj
      clientIdentity obj =
        crt str !
        key str !
      ca str
      insecureSkipVerify bool
    auth obj
      username str
      password str
      auth str
      identityToken str
systemDiskEncryption obj
  state obj
    +legacyEncryption
  ephemeral obj
    +legacyEncryption
features obj
  rbac bool
  stableHostname bool
  kubernetesTalosAPIAccess obj
    enabled bool
    allowedRoles strs
    allowedKubernetesNamespaces strs
  apidCheckExtKeyUsage bool
  diskQuotaSupport bool
  kubePrism obj
    enabled bool
    port int
  hostDNS obj
    enabled bool
    forwardKubeDNSToHost bool
    resolveMemberNames bool
  imageCache obj
    localEnabled bool
  nodeAddressSortAlgorithm str
udev obj
  rules strs
logging obj
  destinations list !
    endpoint url !null
    format str !
    extraTags map:str
kernel obj
  modules list
    name str !
    parameters strs
seccompProfiles list []
  name str !
  value free !
baseRuntimeSpecOverrides free
nodeLabels map:str
nodeAnnotations map:str
nodeTaints map:str
`;

/** The fields of `cluster`. Source: Talos v1.14: machine configuration, v1alpha1 document. */
export const legacyClusterFields = `
id str
secret str
controlPlane obj
  endpoint url !null
  localAPIServerPort int
clusterName str
network obj
  cni obj
    name str
    urls strs
    flannel obj
      extraArgs strs
      kubeNetworkPoliciesEnabled bool
  dnsDomain str !
  podSubnets strs ! =
  serviceSubnets strs ! =
token str
aescbcEncryptionSecret str
secretboxEncryptionSecret str
ca obj =
  crt str !
  key str !
acceptedCAs list
  crt str !
aggregatorCA obj =
  crt str !
  key str !
serviceAccount obj =
  key str !
apiServer obj
  image str
  extraArgs args
  +legacyExtraVolumes
  env map:str
  certSANs strs
  disablePodSecurityPolicy bool
  admissionControl list @name
    name str !
    configuration free !
  auditPolicy free =
  +resources
  authorizationConfig list
    type str !
    name str !
    webhook free
controllerManager obj
  image str
  extraArgs args
  +legacyExtraVolumes
  env map:str
  +resources
proxy obj
  disabled bool
  image str
  mode str
  extraArgs args
scheduler obj
  image str
  extraArgs args
  +legacyExtraVolumes
  env map:str
  +resources
  config free
discovery obj
  enabled bool
  registries obj !
    kubernetes obj !
      disabled bool
    service obj !
      disabled bool
      endpoint str
etcd obj
  image str
  ca obj !null =
    crt str !
    key str !
  extraArgs args
  subnet str
  advertisedSubnets strs
  listenSubnets strs
coreDNS obj
  disabled bool
  image str
externalCloudProvider obj
  enabled bool
  manifests strs
extraManifests strs []
extraManifestHeaders map:str
inlineManifests list []
  name str !
  contents manifest !
adminKubeconfig obj
  certLifetime dur
allowSchedulingOnMasters bool
allowSchedulingOnControlPlanes bool
`;

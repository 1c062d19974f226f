export {
  type ContainerdSettings,
  containerdCgroups,
  containerdConfig,
  containerdOomScore,
  containerdPaths,
  lowestPodOomScore,
} from './containers/containerd-config.ts';
export { registryConfigFrom } from './containers/registry-config.ts';
export { type RegistryFile, registryFiles } from './containers/registry-hosts.ts';
export { diffByMeaning, formatMeaning, type MeaningDifference } from './diff/diff-by-meaning.ts';
export type { Effect, EffectTime } from './diff/effect-table.ts';
export { defaultKernelParameters } from './kernel/default-kernel-parameters.ts';
export {
  configuredParameters,
  isSameValue,
  parameterPath,
  parameterStatus,
  parameterValue,
  setParameterStatus,
  type WantedParameter,
} from './kernel/kernel-parameters.ts';
export { expectedNodename, kubeletArguments } from './kubelet/kubelet-arguments.ts';
export { kubeletConfigFrom } from './kubelet/kubelet-config.ts';
export { kubeletConfiguration } from './kubelet/kubelet-configuration.ts';
export { kubeletPaths, kubeletPorts } from './kubelet/kubelet-paths.ts';
export { apiServerArguments } from './kubernetes/api-server-arguments.ts';
export {
  apiServerConfigFrom,
  controllerManagerConfigFrom,
  schedulerConfigFrom,
} from './kubernetes/component-configs.ts';
export { controllerManagerArguments } from './kubernetes/controller-manager-arguments.ts';
export { etcdEncryptionText } from './kubernetes/etcd-encryption.ts';
export { kubernetesRootFrom, runsApiServer } from './kubernetes/kubernetes-root.ts';
export { bootstrapManifests } from './kubernetes/manifests/bootstrap-manifests.ts';
export { bootstrapManifestsConfigFrom, extraManifestsFrom } from './kubernetes/manifests/manifests-config.ts';
export { goMemoryLimit } from './kubernetes/memory-limit.ts';
export {
  apiServerPod,
  controllerManagerPod,
  type PodVersions,
  schedulerPod,
} from './kubernetes/pod-manifest.ts';
export { type ComponentName, components, componentUsers, podPaths } from './kubernetes/pod-paths.ts';
export {
  admissionControlFrom,
  admissionControlText,
  auditPolicyFrom,
  auditPolicyText,
  authenticationFrom,
  authenticationText,
  authorizationFrom,
  authorizationText,
} from './kubernetes/policy-configs.ts';
export { schedulerArguments, schedulerConfigText } from './kubernetes/scheduler-arguments.ts';
export { firstAddress } from './kubernetes/service-addresses.ts';
export { userPods } from './kubernetes/user-pods.ts';
export { hostsFile, resolvConfFile } from './network/etc-files.ts';
export {
  addressHostname,
  fullHostname,
  type HostName,
  nodenameFromHostname,
  parseHostname,
  stableHostname,
} from './network/hostname.ts';
export { nodeResolverFiles, nodeResolverFolder, resolverFolder } from './network/resolver-folder.ts';
export { formatDifference, formatProof, formatUnproven } from './prove/format-proof.ts';
export { isProven, type Proof, type ProofDifference, type Unproven } from './prove/proof.ts';
export { proveConfigurations } from './prove/prove-configurations.ts';
export {
  availabilityOf,
  type RequestSample,
  requestsPerSecond,
} from './prove/run/availability.ts';
export {
  compareProcesses,
  type ObservedProcess,
  type ProcessOutcome,
} from './prove/run/compare-processes.ts';
export { formatRunProof, isShown, notShownByProcesses, type RunProof } from './prove/run/run-proof.ts';
export { expectedReplacements, settlesFor } from './prove/run/settling.ts';

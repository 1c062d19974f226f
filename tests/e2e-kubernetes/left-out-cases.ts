/** Cases of the suite that are not run, and why. */
export interface LeftOutCases {
  readonly reason: string;
  /** Whole names of cases, as the test program prints them. */
  readonly cases: readonly string[];
}

const statefulSets = '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic]';

/**
 * Nearly all of these wait for a container of an image other than those of agnhost, busybox and pause. Cases that only create
 * such pods, and do not wait for them, are run. Source: Kubernetes: images of the end-to-end tests.
 */
const imageCases: readonly LeftOutCases[] = [
  {
    reason: 'needs the image agnhost:2.55, an earlier version than the one of this Kubernetes',
    cases: [
      '[sig-apps] Daemon set should update pod when spec was updated and update strategy is RollingUpdate [Conformance] [Serial]',
      '[sig-apps] Deployment RecreateDeployment should delete old pods and create new ones [Conformance]',
      '[sig-apps] Deployment should run the lifecycle of a Deployment [Conformance]',
      `${statefulSets} Burst scaling should run to completion even with unhealthy pods [Conformance] [Slow]`,
      `${statefulSets} Scaling should happen in predictable order and halt if any stateful pod is unhealthy [Conformance] [Slow]`,
      `${statefulSets} Should recreate evicted statefulset [Conformance]`,
      `${statefulSets} should have a working scale subresource [Conformance]`,
      `${statefulSets} should list, patch and delete a collection of StatefulSets [Conformance]`,
      `${statefulSets} should perform canary updates and phased rolling updates of template modifications [Conformance]`,
      `${statefulSets} should perform rolling updates and roll backs of template modifications [Conformance]`,
      `${statefulSets} should validate Statefulset Status endpoints [Conformance]`,
      '[sig-node] Pods should run through the lifecycle of Pods and PodStatus [Conformance]',
    ],
  },
  {
    reason:
      'needs variables with dashes in their names, which the shell of the busybox of Debian does not pass on to the programs that it starts',
    cases: [
      '[sig-node] Secrets should be consumable as environment variable names variable names with various prefixes [Conformance]',
      '[sig-node] ConfigMap should be consumable as environment variable names with various prefixes [Conformance]',
      '[sig-node] ConfigMap should be consumable via the environment [Conformance] [NodeConformance]',
      '[sig-node] Secrets should be consumable via the environment [Conformance] [NodeConformance]',
    ],
  },
  {
    reason: 'needs the image glibc-dns-testing:2.1.1',
    cases: [
      '[sig-network] DNS should provide /etc/hosts entries for the cluster [Conformance]',
      '[sig-network] DNS should provide DNS for ExternalName services [Conformance]',
      '[sig-network] DNS should provide DNS for pods for Hostname [Conformance]',
      '[sig-network] DNS should provide DNS for pods for Subdomain [Conformance]',
      '[sig-network] DNS should provide DNS for services [Conformance]',
      '[sig-network] DNS should provide DNS for the cluster [Conformance]',
      '[sig-network] DNS should resolve DNS of partial qualified names for services [LinuxOnly] [Conformance]',
    ],
  },
  {
    reason: 'needs the image kitten:1.8, and pulls it',
    cases: [
      '[sig-node] ImageVolume should succeed with pod and pull policy of Always [LinuxOnly] [MinimumKubeletVersion:1.35] [Conformance]',
    ],
  },
  {
    reason: 'needs the image nautilus:1.8',
    cases: [
      '[sig-cli] Kubectl client Update Demo should create and stop a replication controller [Conformance]',
      '[sig-cli] Kubectl client Update Demo should scale a replication controller [Conformance]',
    ],
  },
  {
    reason: 'needs the image nginx:1.27.0-2',
    cases: [
      '[sig-apps] ReplicationController should test the lifecycle of a ReplicationController [Conformance]',
    ],
  },
  {
    reason: 'needs the image nonewprivs:1.4',
    cases: [
      '[sig-node] Security Context when creating containers with AllowPrivilegeEscalation should not allow privilege escalation when false [LinuxOnly] [Conformance] [NodeConformance]',
    ],
  },
  {
    reason: 'needs the images sample-apiserver:1.29.2 and etcd:3.7.0-0',
    cases: [
      '[sig-api-machinery] Aggregator Should be able to support the 1.17 Sample API Server using the current Aggregator [LinuxOnly] [Conformance]',
    ],
  },
];

const resize = '[sig-node] Pod InPlace Resize Container';

/** These read the files of control groups of version 2 in their containers. */
const unifiedCases: LeftOutCases = {
  reason: 'needs a host with control groups of version 2: on others the containers of pods have no limits',
  cases: [
    `${resize} burstable pods - extended 6 containers - various operations performed (including adding limits and requests) [MinimumKubeletVersion:1.34] [Conformance]`,
    `${resize} burstable pods - extended resize with equivalents [MinimumKubeletVersion:1.34] [Conformance]`,
    `${resize} resize pod via the replace endpoint [MinimumKubeletVersion:1.34] [Conformance]`,
  ],
};

/** These have pods that ask the registry for the image of agnhost although their node has it. */
const pullingCases: LeftOutCases = {
  reason: 'pulls the image of agnhost, which this machine serves only to nodes of its own run',
  cases: [
    '[sig-auth] Projected PodCertificate [FeatureGate:PodCertificateRequest] [FeatureGate:ClusterTrustBundle] [FeatureGate:ClusterTrustBundleProjection] should allow server and client pods to establish an mTLS connection [MinimumKubeletVersion:1.37] [Conformance]',
  ],
};

export interface Surroundings {
  /** Whether the host of the nodes has control groups of version 2. */
  readonly isUnified: boolean;
  /** Whether the nodes can pull the image of agnhost. */
  readonly canPull: boolean;
}

export function leftOutCases({ isUnified, canPull }: Surroundings): readonly LeftOutCases[] {
  return [...imageCases, ...(isUnified ? [] : [unifiedCases]), ...(canPull ? [] : [pullingCases])];
}

import type { RegistryKind } from './freshness-rows.ts';

/** What `make update` leaves as it is although there is something newer. */
export interface HeldVersion {
  readonly kind: RegistryKind;
  readonly name: string;
  /** The version that is locked. */
  readonly version: string;
  readonly reason: string;
}

/** `make freshness` prints each of these with its reason. A test compares the versions with the locks. */
export const heldVersions: readonly HeldVersion[] = [
  {
    ...{ kind: 'go', name: 'k8s.io/kubernetes', version: 'v1.37.1' },
    reason:
      'the versions of the images and manifests that are tested with it; a later patch needs the conformance cases again',
  },
  {
    ...{ kind: 'go', name: 'k8s.io/client-go', version: 'v0.37.1' },
    reason: 'a part of Kubernetes, in its version',
  },
  {
    ...{ kind: 'go', name: 'k8s.io/component-base', version: 'v0.37.1' },
    reason: 'a part of Kubernetes, in its version',
  },
  {
    ...{ kind: 'go', name: 'k8s.io/kubectl', version: 'v0.37.1' },
    reason: 'a part of Kubernetes, in its version',
  },
  {
    ...{ kind: 'go', name: 'k8s.io/klog/v2', version: 'v2.140.0' },
    reason: 'flannel is linked with the version in its own go.mod',
  },
  {
    ...{ kind: 'go', name: 'github.com/onsi/ginkgo/v2', version: 'v2.32.0' },
    reason: 'the end-to-end tests of Kubernetes are written for the version in its go.mod',
  },
  {
    ...{ kind: 'go', name: 'github.com/coredns/coredns', version: 'v1.14.7' },
    reason: 'the default image of the configuration of Talos names this version',
  },
  {
    ...{ kind: 'go', name: 'github.com/flannel-io/flannel', version: 'v0.28.9' },
    reason: 'the default image of the configuration of Talos names this version',
  },
  {
    ...{ kind: 'go', name: 'github.com/siderolabs/talos', version: 'v1.13.9' },
    reason: 'the released client of which a program can be built from its modules',
  },
  {
    ...{ kind: 'go', name: 'github.com/siderolabs/talos/pkg/machinery', version: 'v1.13.9' },
    reason: 'a part of the released client, in its version',
  },
  {
    ...{ kind: 'go', name: 'go', version: 'go1.26.10' },
    reason:
      'another Go writes other bytes of every program, those of Kubernetes among them: renewed in a change of its own',
  },
  {
    ...{ kind: 'npm', name: '@biomejs/biome', version: '2.5.15' },
    reason: 'another version formats and lints otherwise: renewed in a change of its own, with the sources',
  },
];

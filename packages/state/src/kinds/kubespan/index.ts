// Source: Talos v1.14: COSI resources, kubespan.
import type { ResourceKind } from '../../meta/define-kind.ts';
import {
  kubeSpanConfigs,
  kubeSpanEndpoints,
  kubeSpanIdentities,
  kubeSpanPeerSpecs,
  kubeSpanPeerStatuses,
} from './kubespan.ts';

export * as kubespanEnumerations from './enumerations.ts';
export * from './kubespan.ts';

export const kubespanKinds: readonly ResourceKind[] = [
  kubeSpanConfigs,
  kubeSpanEndpoints,
  kubeSpanIdentities,
  kubeSpanPeerSpecs,
  kubeSpanPeerStatuses,
];

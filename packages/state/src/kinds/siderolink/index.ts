// Source: Talos v1.14: COSI resources, siderolink.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { siderolinkConfigs, siderolinkStatuses, siderolinkTunnels } from './siderolink.ts';

export * from './siderolink.ts';

export const siderolinkKinds: readonly ResourceKind[] = [
  siderolinkConfigs,
  siderolinkStatuses,
  siderolinkTunnels,
];

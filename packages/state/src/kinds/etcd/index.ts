// Source: Talos v1.14: COSI resources, etcd.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { etcdConfigs, etcdMembers, etcdSpecs, pkiStatuses } from './etcd.ts';

export * from './etcd.ts';

export const etcdKinds: readonly ResourceKind[] = [etcdConfigs, pkiStatuses, etcdSpecs, etcdMembers];

// Source: Talos v1.14: COSI resources, files.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { etcFileSpecs, etcFileStatuses } from './files.ts';

export * from './files.ts';

export const filesKinds: readonly ResourceKind[] = [etcFileSpecs, etcFileStatuses];

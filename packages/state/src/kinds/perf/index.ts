// Source: Talos v1.14: COSI resources, perf.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { cpuStats, memoryStats } from './perf.ts';

export * from './perf.ts';

export const perfKinds: readonly ResourceKind[] = [cpuStats, memoryStats];

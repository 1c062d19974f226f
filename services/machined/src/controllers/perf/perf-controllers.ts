import type { Controller } from '@nodewright/controllers';
import type { KernelFiles } from '../../host/kernel-files.ts';
import { statsController } from './stats.ts';

export interface PerfControllersInit {
  readonly kernel: Pick<KernelFiles, 'read'>;
}

/** Source: Talos v1.14: COSI resources, perf. */
export function perfControllers({ kernel }: PerfControllersInit): Controller[] {
  return [statsController(kernel)];
}

import { release } from 'node:os';
import { createFileSystemSizes } from '@nodewright/linux';
import type { Telemetry } from '@nodewright/telemetry';
import type { NodeMode, Platform } from '../base/domain/node-facts.ts';
import type { KernelFiles } from '../base/host/kernel-files.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import { kernelControllers } from './controllers/kernel-controllers.ts';
import { createKernelStatistics } from './rpc/kernel-statistics.ts';
import { createMounts } from './rpc/mounts.ts';
import { createNodeInformation } from './rpc/node-information.ts';
import { createProcesses } from './rpc/processes.ts';

export interface OpenKernelInit {
  readonly mode: NodeMode;
  readonly platform: Platform;
  /** Another one after every start of the node. */
  readonly bootId: string;
  readonly hostname: () => string;
  readonly kernel: KernelFiles;
  readonly telemetry: Telemetry;
}

const fileSystemTimeoutMs = 2000;

/** The kernel and what is known of the system from its start on: its version, its settings, its statistics. */
export function openKernel(init: OpenKernelInit): Topic {
  const { mode, platform, bootId, hostname, kernel, telemetry } = init;
  return {
    controllers: kernelControllers({
      ...{ mode, bootId, kernel },
      kernelRelease: release(),
      extensions: [],
      read: readIfThere,
    }),
    api: {
      'machine.MachineService': {
        ...createNodeInformation(platform, hostname),
        ...createKernelStatistics(kernel, telemetry),
        ...createProcesses(telemetry),
        ...createMounts(kernel, createFileSystemSizes({ timeoutMs: fileSystemTimeoutMs }), telemetry),
      },
    },
  };
}

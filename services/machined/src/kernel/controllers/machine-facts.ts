import { buildInfo } from '@nodewright/contract';
import { type Controller, weak } from '@nodewright/controllers';
import { redactUrlPasswords } from '@nodewright/fault';
import { parseMeminfo } from '@nodewright/linux';
import { defaultKernelParameters } from '@nodewright/node-files';
import {
  bootIds,
  type ExtensionStatusSpec,
  extensionStatuses,
  kernelCmdlines,
  kernelParamDefaultSpecs,
  securityStates,
  services,
  versions,
} from '@nodewright/state/kinds';
import { fixedController } from '../../base/controllers/fixed-controller.ts';
import type { ReadIfThere, ReadOrReason } from '../../base/domain/read-if-there.ts';
import { securityState } from '../domain/security-state.ts';

/** The versions of the software on the node. */
export const versionController = (): Controller =>
  fixedController({
    name: 'runtime.VersionController',
    output: versions,
    wanted: () => [{ id: versions.singleton, spec: { name: 'Talos', version: buildInfo.tag } }],
  });

/** @param bootID a new one at every start of the node */
export const bootIdController = (bootID: string): Controller =>
  fixedController({
    name: 'runtime.BootIDController',
    output: bootIds,
    wanted: () => [{ id: bootIds.singleton, spec: { bootID } }],
  });

/** The kernel command line. A container does not get it. */
export const kernelCmdlineController = (read: ReadIfThere, isContainer: boolean): Controller =>
  fixedController({
    name: 'runtime.KernelCmdlineController',
    output: kernelCmdlines,
    wanted() {
      const cmdline = isContainer ? undefined : read('/proc/cmdline');
      return cmdline === undefined
        ? []
        : [
            {
              id: kernelCmdlines.singleton,
              spec: { cmdline: redactUrlPasswords(cmdline.toString().trim()) },
            },
          ];
    },
  });

/** The kernel parameters that every node wants. */
export const kernelParamDefaultsController = (read: ReadIfThere, isContainer: boolean): Controller =>
  fixedController({
    name: 'runtime.KernelParamDefaultsController',
    output: kernelParamDefaultSpecs,
    outputKind: 'shared',
    wanted: () =>
      defaultKernelParameters({
        isContainer,
        hasIpv6: read('/proc/sys/net/ipv6/conf/default/forwarding') !== undefined,
        memoryKilobytes: memoryKilobytes(read),
        architecture: process.arch,
      }),
  });

/** The kernel decides by itself if it does not say how much it has. */
function memoryKilobytes(read: ReadIfThere): number {
  const total = parseMeminfo(read('/proc/meminfo')?.toString() ?? '').get('MemTotal');
  return total === undefined ? Number.POSITIVE_INFINITY : Number(total);
}

/** The protections of the system. SELinux may be enabled by the auditd service. */
export const securityStateController = (read: ReadOrReason): Controller =>
  fixedController({
    name: 'runtime.SecurityStateController',
    inputs: [weak(services)],
    output: securityStates,
    wanted: () => [{ id: securityStates.singleton, spec: securityState(read) }],
  });

/** @param layers the extensions that the system was started with */
export const extensionStatusController = (layers: readonly ExtensionStatusSpec[]): Controller =>
  fixedController({
    name: 'runtime.ExtensionStatusController',
    output: extensionStatuses,
    wanted: () => layers.map((spec) => ({ id: spec.image.replace(/\.squashfs$/, ''), spec })),
  });

import type { Controller } from '@nodewright/controllers';
import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../domain/read-if-there.ts';
import {
  kernelModuleConfigController,
  kernelParamConfigController,
  watchdogTimerConfigController,
} from './configured-settings.ts';
import { devicesStatusController } from './devices-status.ts';
import { kernelModuleStatusController } from './kernel-module-status.ts';
import { kernelParamSpecController } from './kernel-param-spec.ts';
import {
  bootIdController,
  extensionStatusController,
  kernelCmdlineController,
  kernelParamDefaultsController,
  securityStateController,
  versionController,
} from './machine-facts.ts';
import { mountStatusController } from './mount-status.ts';

export interface RuntimeControllersInit {
  /** Another one after every start of the node. */
  readonly bootId: string;
  /** What surrounds the node: a container may not look at the whole machine; processes share it with its host. */
  readonly mode: 'process' | 'container' | 'metal';
  /** Whether udevd is one of the node's services: devices are ready once it is. */
  readonly hasUdevd: boolean;
  /** As `uname -r` has it. */
  readonly kernelRelease: string;
  /** The extensions that the system was started with. */
  readonly extensions: readonly ExtensionStatusSpec[];
  /** A file of the kernel, or of the system. */
  readonly read: ReadIfThere;
}

/** Source: Talos v1.14: COSI resources, runtime. */
export function runtimeControllers(init: RuntimeControllersInit): Controller[] {
  const { mode, read } = init;
  const isContainer = mode === 'container';
  return [
    versionController(),
    bootIdController(init.bootId),
    kernelCmdlineController(read, isContainer),
    securityStateController(read),
    extensionStatusController(init.extensions),
    devicesStatusController(init.hasUdevd),
    mountStatusController(),
    kernelParamDefaultsController(read, isContainer),
    kernelParamConfigController(),
    kernelParamSpecController(read),
    kernelModuleConfigController(),
    ...(isContainer ? [] : [kernelModuleStatusController(read, init.kernelRelease)]),
    watchdogTimerConfigController(),
  ];
}

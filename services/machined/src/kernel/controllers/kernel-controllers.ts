import type { Controller } from '@nodewright/controllers';
import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import type { ReadIfThere, ReadOrReason } from '../../base/domain/read-if-there.ts';
import type { World } from '../../base/domain/world.ts';
import type { KernelFiles } from '../../base/host/kernel-files.ts';
import {
  kernelModuleConfigController,
  kernelParamConfigController,
  watchdogTimerConfigController,
} from './configured-settings.ts';
import { type KernelModuleSpecInit, kernelModuleSpecController } from './kernel-module-spec.ts';
import { kernelModuleStatusController } from './kernel-module-status.ts';
import { kernelParamSpecController, type WriteParameter } from './kernel-param-spec.ts';
import {
  bootIdController,
  extensionStatusController,
  kernelCmdlineController,
  kernelParamDefaultsController,
  securityStateController,
  versionController,
} from './machine-facts.ts';
import { statsController } from './stats.ts';

export interface KernelControllersInit {
  /** A new one at every start of the node. */
  readonly bootId: string;
  readonly world: Pick<World, 'showsMachine'>;
  readonly kernel: Pick<KernelFiles, 'read'>;
  /** Output of `uname -r`. */
  readonly kernelRelease: string;
  /** The extensions that the system was started with. */
  readonly extensions: readonly ExtensionStatusSpec[];
  /** Reads a file of the kernel or of the system. */
  readonly read: ReadIfThere;
  readonly readOrReason: ReadOrReason;
  /** Sets a kernel parameter; undefined on a node that shares its kernel with others. */
  readonly writeParameter?: WriteParameter | undefined;
  /** Loads modules; undefined on a node that shares its kernel with others. */
  readonly modules?: Omit<KernelModuleSpecInit, 'read'> | undefined;
}

/** Source: Talos v1.14: COSI resources, runtime, perf. */
export function kernelControllers(init: KernelControllersInit): Controller[] {
  const { world, read } = init;
  const isContainer = !world.showsMachine;
  return [
    versionController(),
    bootIdController(init.bootId),
    kernelCmdlineController(read, isContainer),
    securityStateController(init.readOrReason),
    extensionStatusController(init.extensions),
    kernelParamDefaultsController(read, isContainer),
    kernelParamConfigController(),
    kernelParamSpecController(read, init.writeParameter),
    kernelModuleConfigController(),
    ...(init.modules === undefined ? [] : [kernelModuleSpecController({ read, ...init.modules })]),
    ...(isContainer ? [] : [kernelModuleStatusController(read, init.kernelRelease)]),
    watchdogTimerConfigController(),
    statsController(init.kernel),
  ];
}

import type { ImplementedServices } from '../../base/rpc/complete-services.ts';
import type { ReceivedSet } from '../domain/received-set.ts';
import { createLifecycle } from './lifecycle.ts';
import { createMachineUpgrade, type MachineUpgradeInit } from './machine-upgrade.ts';
import type { UpgradeAccess } from './upgrade-access.ts';
import { createUpgradeService } from './upgrade-service.ts';

export interface UpgradeApiInit extends Omit<MachineUpgradeInit, 'access'> {
  readonly access: UpgradeAccess;
  readonly received: ReceivedSet;
}

/** All calls that install, upgrade and roll back a machine. They share one turn. */
export function createUpgradeApi(init: UpgradeApiInit): ImplementedServices {
  const { access } = init;
  return {
    'machine.LifecycleService': createLifecycle(access),
    'machine.MachineService': createMachineUpgrade(init),
    'suite.upgrade.v1.UpgradeService': createUpgradeService(init),
  };
}

import type { ImplementedServices } from '../../base/rpc/complete-services.ts';
import type { ReceivedSet } from '../domain/received-set.ts';
import { createLifecycle } from './lifecycle.ts';
import { createMachineUpgrade, type MachineUpgradeInit } from './machine-upgrade.ts';
import { UpgradeAccess, type UpgradeAccessInit } from './upgrade-access.ts';
import { createUpgradeService } from './upgrade-service.ts';

export interface UpgradeApiInit extends UpgradeAccessInit, Omit<MachineUpgradeInit, 'access'> {
  readonly received: ReceivedSet;
}

/** All calls that install, upgrade and roll back a machine. They share one turn. */
export function createUpgradeApi(init: UpgradeApiInit): ImplementedServices {
  const access = new UpgradeAccess(init);
  return {
    'machine.LifecycleService': createLifecycle(access),
    'machine.MachineService': createMachineUpgrade({ ...init, access }),
    'suite.upgrade.v1.UpgradeService': createUpgradeService({ ...init, access }),
  };
}

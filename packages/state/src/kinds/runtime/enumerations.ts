// Source: Talos v1.14: COSI resources, enumerations.
import { enumeration } from '../../spec/field-types.ts';

export const machineStage = enumeration('MachineStage', {
  unknown: 0,
  booting: 1,
  installing: 2,
  maintenance: 3,
  running: 4,
  rebooting: 5,
  'shutting down': 6,
  resetting: 7,
  upgrading: 8,
});
export const kernelModuleType = enumeration('KernelModuleType', { unknown: 0, 'built-in': 1, dynamic: 2 });
export const kernelModuleState = enumeration('KernelModuleState', {
  live: 0,
  loading: 1,
  unloading: 2,
  'built-in': 3,
});
export const seLinuxState = enumeration('SELinuxState', {
  disabled: 0,
  'enabled, permissive': 1,
  'enabled, enforcing': 2,
});
export const fipsState = enumeration('FIPSState', { disabled: 0, enabled: 1, 'enabled, strict': 2 });
export const unattendedInstallPhase = enumeration('UnattendedInstallPhase', {
  pending: 0,
  installing: 1,
  installed: 2,
  'waiting-for-reboot': 3,
  failed: 4,
});

export { BootClock, bootPhases, median } from './boot-phases.ts';
export { chooseAccelerator } from './choose-accelerator.ts';
export {
  emulatorMissing,
  emulatorProgram,
  escapeComma,
  guestAddress,
  guestNetwork,
  guestNetworkOf,
  hardwareAddress,
  hostAddress,
  kernelBoot,
  machineHardware,
} from './emulator-options.ts';
export { addedWords, emptyVariables, firmware, firmwareBoot } from './firmware-options.ts';
export { freePort } from './free-port.ts';
export { makeMachineDisk } from './machine-disk.ts';
export { machineImages } from './machine-images.ts';

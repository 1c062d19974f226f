import {
  type Accelerator,
  escapeComma,
  guestNetwork,
  kernelBoot,
  kubernetesMemoryMib,
  machineHardware,
  usualMemoryMib,
} from '../machine/emulator-options.ts';

export interface EmulatorCommandInit {
  /** The folder with `disk.raw`, `vmlinuz` and `initramfs`, which is also the emulator's working directory. */
  readonly folder: string;
  readonly commandLine: string;
  /** The file to which the console is appended. */
  readonly console: string;
  readonly apiPort: number;
  /** Undefined for a machine without Kubernetes. */
  readonly kubernetesPort: number | undefined;
  readonly accelerator: Accelerator;
}

/** The socket of the monitor. Relative to the working directory, because the paths of sockets are short. */
const monitorSocket = 'monitor.sock';

/** The arguments of QEMU for the machine of a cluster. It keeps its disk and restarts by itself. */
export function emulatorArguments(init: EmulatorCommandInit): string[] {
  const { folder, commandLine, console, apiPort, kubernetesPort, accelerator } = init;
  return [
    ...machineHardware({
      ...{ disk: `${folder}/disk.raw`, keepsDisk: true, restarts: true },
      ...{ apiPort, kubernetesPort, accelerator },
      memoryMib: kubernetesPort === undefined ? usualMemoryMib : kubernetesMemoryMib,
    }),
    ...kernelBoot(folder, `${commandLine.trim()} ${guestNetwork}`),
    ...['-chardev', `file,id=console,path=${escapeComma(console)},append=on`, '-serial', 'chardev:console'],
    ...['-qmp', `unix:${monitorSocket},server=on,wait=off`],
  ];
}

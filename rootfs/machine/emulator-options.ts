import { join } from 'node:path';

/** The address of the machine in the emulator's network. */
export const guestAddress = '10.0.2.15';
/** The kernel argument that gives the machine this address. */
export const guestNetwork = `ip=${guestAddress}::10.0.2.2:255.255.255.0::eth0:off`;
const guestApiPort = 50_000;
const memoryMib = 1024;

export interface Hardware {
  /** A raw disk image; undefined for a machine without a disk. */
  readonly disk: string | undefined;
  /** Whether the machine changes the image; by default its changes are lost when it ends. */
  readonly keepsDisk?: boolean;
  /** Port of the loopback device that leads to the machine's API. */
  readonly apiPort: number;
}

/** Options of QEMU for a machine with two processors, a disk and a network device. */
export function machineHardware({ disk, keepsDisk = false, apiPort }: Hardware): string[] {
  return [
    // Without hardware support. QEMU 7.2 computes wrong flags after CMPXCHG16B, and the kernel crashes at random.
    ...[
      '-machine',
      'q35',
      '-accel',
      'tcg,thread=multi',
      '-cpu',
      'max,cx16=off',
      '-smp',
      '2',
      '-m',
      String(memoryMib),
    ],
    ...['-nodefaults', '-no-reboot', '-nographic'],
    ...(disk === undefined
      ? []
      : ['-drive', `file=${disk},if=virtio,format=raw,snapshot=${keepsDisk ? 'off' : 'on'}`]),
    ...['-netdev', `user,id=net0,hostfwd=tcp:127.0.0.1:${apiPort}-${guestAddress}:${guestApiPort}`],
    // It never boots from the network, so it needs no firmware of its own.
    ...['-device', 'virtio-net-pci,netdev=net0,romfile='],
  ];
}

/** Options that boot the kernel of the image without firmware. @param folder the folder of the image */
export function kernelBoot(folder: string, commandLine: string): string[] {
  return [
    ...['-kernel', join(folder, 'vmlinuz'), '-initrd', join(folder, 'initramfs')],
    ...['-append', commandLine],
  ];
}

import type { Architecture } from '@nodewright/build';

/** A kernel that an image can have. */
export interface KernelChoice {
  /** The package that depends on the newest kernel. The lock file has that kernel under this name. */
  readonly package: Readonly<Record<Architecture, string>>;
  /**
   * Modules that the init loads before it looks for the root file system: for that file system, for the variables of UEFI
   * firmware, and for the disks of virtual machines. Those that they depend on come besides, and those that are part of the
   * kernel are left out.
   */
  readonly initModules: readonly string[];
  /**
   * Modules that a child of the init loads meanwhile: for other disks, which the init finds when they appear, for network
   * devices, the power button, and volumes. They take 1.5 s on an emulated processor, and machined needs them seconds later.
   */
  readonly laterModules: readonly string[];
  /**
   * Drivers of network devices in the root file system, besides those above. udevd-bridge loads one when the machine has its device. A
   * driver that the kernel of an architecture does not have is left out.
   */
  readonly networkDrivers: readonly string[];
}

// BOOT is ext4, which needs crc32c for its metadata, and asks the kernel for it by name: it does not depend on the module.
// The core of watchdogs has a parameter that counts for all of their drivers, so it is loaded before anything else can load one.
const initModules = [
  ...['loop', 'dm-verity', 'squashfs', 'overlay', 'efivarfs', 'virtio_pci', 'virtio_blk', 'watchdog'],
  ...['crc32c_generic', 'ext4'],
];
const laterModules = [
  ...['nvme', 'virtio_net', 'virtio_scsi', 'sd_mod', 'ahci', 'button', 'evdev', 'xfs'],
  // The partition EFI, with the character sets of its names, and the medium from which a machine is installed.
  ...['vfat', 'nls_cp437', 'nls_ascii', 'isofs', 'sr_mod', 'ata_piix'],
];

/**
 * Drivers of watchdogs: of emulated machines, of firmware with an ACPI table for it, and the timer of the kernel. The init loads them while a
 * system is tried, and machined before it starts a system to be tried without the firmware. Those that a kernel does not have are left out.
 */
export const watchdogDrivers = ['i6300esb', 'wdat_wdt', 'softdog'] as const;

/** Network devices of clouds and hypervisors: AWS, Google, Hyper-V, Intel's virtual functions, NVIDIA's, and VMware's. */
const virtualNetworkDrivers = ['ena', 'gve', 'hv_netvsc', 'ixgbevf', 'mlx4_en', 'mlx5_core', 'vmxnet3'];
/** Those of most servers and boards. */
const physicalNetworkDrivers = [
  ...['e1000', 'e1000e', 'igb', 'igc', 'ixgbe', 'i40e', 'ice', 'r8169', 'tg3', 'bnxt_en'],
];

/**
 * Debian's kernels. That for clouds is a quarter of the size. NVMe, ext4 and the bus of virtio are part of it, and it has no USB. The full
 * one has most drivers of Debian as modules, and the image takes those for disks on USB.
 */
export const kernels = {
  cloud: {
    package: { amd64: 'linux-image-cloud-amd64', arm64: 'linux-image-cloud-arm64' },
    ...{ initModules, laterModules },
    networkDrivers: virtualNetworkDrivers,
  },
  full: {
    package: { amd64: 'linux-image-amd64', arm64: 'linux-image-arm64' },
    initModules,
    laterModules: [...laterModules, 'xhci_pci', 'ehci_pci', 'usb_storage', 'uas'],
    networkDrivers: [...virtualNetworkDrivers, ...physicalNetworkDrivers],
  },
} as const satisfies Record<string, KernelChoice>;

export type KernelName = keyof typeof kernels;

/**
 * The kernel that `KERNEL` names; by default the one for clouds.
 *
 * @throws Error that names the kernels
 */
export function kernelNamed(name: string | undefined): KernelName {
  if (name === undefined || name === '') return 'cloud';
  if (Object.hasOwn(kernels, name)) return name as KernelName;
  throw new Error(
    `there is no kernel ${JSON.stringify(name)}: KERNEL is ${Object.keys(kernels).join(' or ')}`,
  );
}

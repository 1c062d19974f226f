import { join } from 'node:path';

/** The program that emulates machines of x86-64. */
export const emulatorProgram = 'qemu-system-x86_64';
export const emulatorMissing = `${emulatorProgram} is missing: install the package qemu-system-x86 (Debian, Ubuntu) or qemu-system-x86-core (Fedora)`;

/** The address of the machine in the emulator's network. */
export const guestAddress = '10.0.2.15';
/** The emulator's network, and where machines find the services of the loopback device. */
export const guestCidr = '10.0.2.0/24';
export const hostAddress = '10.0.2.2';
/** Resolves names as this host does. Source: QEMU, network emulation. */
export const guestNameServer = '10.0.2.3';
/** The kernel argument that gives the machine an address of the emulator's network. */
export const guestNetworkOf = (address: string) => `ip=${address}::${hostAddress}:255.255.255.0::eth0:off`;
export const guestNetwork = guestNetworkOf(guestAddress);
const guestApiPort = 50_000;
const guestTrustdPort = 50_001;
/** What a control plane needs at least: with less, the health check of the cluster fails. */
export const usualMemoryMib = 2048;
/** The same with Kubernetes. */
export const kubernetesMemoryMib = 4096;

/** How the instructions of the machine are executed: by the processor, or by the emulator. */
export type Accelerator = 'kvm' | 'tcg';

export interface Hardware {
  /** A raw disk image; undefined for a machine without a disk. */
  readonly disk: string | undefined;
  /** Whether the machine changes the image; by default its changes are lost when it ends. */
  readonly keepsDisk?: boolean;
  /** An existing file in which QEMU records every write and flush of the disk, in the format of dm-log-writes. */
  readonly writeLog?: string | undefined;
  /** Port of the loopback device that leads to the machine's API. */
  readonly apiPort: number;
  /** Port of the loopback device that leads to trustd, for machines that join a control plane. */
  readonly trustdPort?: number;
  /** Port of the loopback device, and of the machine, of its Kubernetes API. */
  readonly kubernetesPort?: number | undefined;
  /** Default: `usualMemoryMib`. */
  readonly memoryMib?: number;
  /** Default: 2. */
  readonly processors?: number;
  /** Default: `guestAddress`. A cluster refuses a second node with the address of another one. */
  readonly address?: string;
  /** Default: `tcg`, which works everywhere. */
  readonly accelerator?: Accelerator;
  /** Whether a machine that restarts boots again; by default the emulator ends then. */
  readonly restarts?: boolean;
  /** An existing tap device that is the machine's network; by default the emulator's own, where the ports lead. */
  readonly tapDevice?: string | undefined;
  /** QEMU's name of its network device; default: that of virtio. */
  readonly networkDevice?: string | undefined;
}

/** Options of QEMU for a machine with a disk and a network device. */
export function machineHardware(hardware: Hardware): string[] {
  const { disk, keepsDisk = false, writeLog, apiPort, trustdPort, address = guestAddress } = hardware;
  const { accelerator = 'tcg', restarts = false, kubernetesPort, memoryMib = usualMemoryMib } = hardware;
  const { tapDevice, networkDevice = 'virtio-net-pci', processors = 2 } = hardware;
  const forwards = [
    [apiPort, guestApiPort],
    ...(trustdPort === undefined ? [] : [[trustdPort, guestTrustdPort]]),
    ...(kubernetesPort === undefined ? [] : [[kubernetesPort, kubernetesPort]]),
  ]
    .map(([port, guestPort]) => `,hostfwd=tcp:127.0.0.1:${port}-${address}:${guestPort}`)
    .join('');
  return [
    ...['-machine', 'q35', ...processorOptions[accelerator]],
    ...['-smp', String(processors), '-m', String(memoryMib)],
    ...['-nodefaults', ...(restarts ? [] : ['-no-reboot']), '-nographic'],
    ...(disk === undefined ? [] : diskOptions(disk, keepsDisk, writeLog)),
    '-netdev',
    tapDevice === undefined
      ? `user,id=net0${forwards}`
      : `tap,id=net0,ifname=${tapDevice},script=no,downscript=no`,
    // It never boots from the network, so it needs no firmware of its own.
    ...['-device', `${networkDevice},netdev=net0,romfile=,mac=${hardwareAddress(address)}`],
  ];
}

/** The machine makes its IPv6 address from it, so it differs with the address. */
/** The hardware address of the network device of a machine with this address. */
export function hardwareAddress(address: string): string {
  const [, , , last] = address.split('.');
  return `52:54:00:12:34:${Number(last).toString(16).padStart(2, '0')}`;
}

function diskOptions(disk: string, keepsDisk: boolean, writeLog: string | undefined): string[] {
  if (writeLog === undefined)
    return ['-drive', `file=${escapeComma(disk)},if=virtio,format=raw,snapshot=${keepsDisk ? 'off' : 'on'}`];
  // Flushes are recorded and not carried out. So they are complete at once, and no write is recorded during a flush.
  const file = (path: string) => ({ driver: 'raw', file: { driver: 'file', filename: path } });
  const recorded = {
    ...{ driver: 'blklogwrites', 'node-name': 'recorded', 'log-sector-size': 512 },
    file: { ...file(disk), cache: { 'no-flush': true } },
    log: { ...file(writeLog), cache: { 'no-flush': true } },
  };
  // The host takes 1,024 pieces of memory at a time. QEMU joins requests of the machine up to that number, and the head of the record
  // would be one more: then the machine sees an error of its disk, and the record has a hole.
  const device = 'virtio-blk-pci,drive=recorded,request-merging=off';
  return ['-blockdev', JSON.stringify(recorded), '-device', device];
}

export const processorOptions: Readonly<Record<Accelerator, readonly string[]>> = {
  kvm: ['-accel', 'kvm', '-cpu', 'host'],
  // QEMU 7.2 computes wrong flags after CMPXCHG16B, and the kernel crashes at random.
  tcg: ['-accel', 'tcg,thread=multi', '-cpu', 'max,cx16=off'],
};

/** Options that boot the kernel of the image without firmware. @param folder the folder of the image */
export function kernelBoot(folder: string, commandLine: string): string[] {
  return [
    ...['-kernel', join(folder, 'vmlinuz'), '-initrd', join(folder, 'initramfs')],
    ...['-append', commandLine],
  ];
}

/** A comma in a value of a QEMU option is written twice. */
export function escapeComma(value: string): string {
  return value.replaceAll(',', ',,');
}

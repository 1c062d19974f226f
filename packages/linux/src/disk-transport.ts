/** Prefixes of the names that the kernel gives to disks other than SCSI ones, and their transports. */
const byName: readonly (readonly [prefix: string, transport: string])[] = [
  ['nvme', 'nvme'],
  ['vd', 'virtio'],
  ['mmcblk', 'mmc'],
];

/** Classes of SCSI hosts in sysfs, and their transports. */
const byHostClass: readonly (readonly [hostClass: string, transport: string])[] = [
  ['sas_host', 'sas'],
  ['fc_host', 'fc'],
  ['iscsi_host', 'iscsi'],
];

/** Parts of the device's path in sysfs, and their transports. */
const byPath: readonly (readonly [part: RegExp, transport: string])[] = [
  [/\/fw\d/, 'ibp'],
  [/\/usb\d/, 'usb'],
  [/\/ata\d/, 'sata'],
];

/**
 * How a disk is attached; empty if unknown. Source: Talos v1.14: disks, transport.
 *
 * @param path of the disk in sysfs, without links.
 * @param isThere whether `/sys/class/<name>` exists.
 */
export function diskTransport(name: string, path: string, isThere: (name: string) => boolean): string {
  const named = byName.find(([prefix]) => name.startsWith(prefix));
  if (named !== undefined) return named[1];
  const host = /\/(host\d+)\//.exec(path)?.[1];
  const hosted = host && byHostClass.find(([hostClass]) => isThere(`${hostClass}/${host}`));
  if (hosted) return hosted[1];
  return byPath.find(([part]) => part.test(path))?.[1] ?? (host === undefined ? '' : 'scsi');
}

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { ifReadable } from './if-readable.ts';

/** A device on a PCI bus, with its numeric ids. */
export interface PciDevice {
  /** `0000:00:1f.2`. */
  readonly address: string;
  readonly classId: number;
  readonly subclassId: number;
  readonly vendorId: number;
  readonly productId: number;
  /** Name of its driver; empty if none is bound. */
  readonly driver: string;
}

/**
 * The devices of all PCI buses, by address; empty without a PCI bus. A device that is removed during the read
 * is left out.
 *
 * @param sysRoot where sysfs is mounted; default `/sys`.
 */
export function readPciDevices(sysRoot = '/sys'): PciDevice[] {
  const folder = `${sysRoot}/bus/pci/devices`;
  return (ifReadable(() => readdirSync(folder)) ?? [])
    .sort()
    .map((address) => readPciDevice(`${folder}/${address}`, address))
    .filter((device) => device !== undefined);
}

function readPciDevice(folder: string, address: string): PciDevice | undefined {
  const number = (file: string) =>
    Number(ifReadable(() => readFileSync(`${folder}/${file}`, 'utf8'))?.trim() || Number.NaN);
  // Class, subclass and programming interface, a byte each.
  const [kind, vendorId, productId] = [number('class'), number('vendor'), number('device')];
  if (![kind, vendorId, productId].every(Number.isInteger)) return undefined;
  const driver = ifReadable(() => readlinkSync(`${folder}/driver`));
  return {
    address,
    classId: (kind >> 16) & 0xff,
    subclassId: (kind >> 8) & 0xff,
    vendorId,
    productId,
    driver: driver === undefined ? '' : basename(driver),
  };
}

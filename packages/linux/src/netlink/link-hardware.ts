// What the driver of a link reports about its hardware. Layouts: <linux/ethtool.h>.
import { readFileSync } from 'node:fs';
import type { NativeCalls } from '../native-calls.ts';
import { askDriver, driverQuestion } from './ask-driver.ts';

/** The hardware of a link. Texts that the driver does not report are empty. */
export interface LinkHardware {
  readonly driver: string;
  readonly driverVersion: string;
  readonly firmwareVersion: string;
  /** `0000:00:03.0` on a PCI bus. */
  readonly busPath: string;
  /** `1AF4:1000`. */
  readonly pciId: string;
  /** `0x1af4`. */
  readonly vendorId: string;
  readonly productId: string;
}

const driverInfo = 0x3;
const driverInfoBytes = 196;
const textBytes = 32;
const pciPath = /^[\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.[\da-f]$/;

/**
 * The hardware of the link `name`; undefined when its driver reports nothing.
 *
 * @param busRoot folder of the PCI devices
 */
export function readLinkHardware(
  calls: NativeCalls,
  name: string,
  busRoot = '/sys/bus/pci/devices',
): LinkHardware | undefined {
  const info = askDriver(calls, name, (ask) => ask(driverQuestion(driverInfo, driverInfoBytes)));
  if (info === undefined) return undefined;
  const busPath = textAt(info, 3);
  return {
    driver: textAt(info, 0),
    driverVersion: textAt(info, 1),
    firmwareVersion: textAt(info, 2),
    busPath,
    ...pciFacts(busPath, busRoot),
  };
}

/** Texts of the driver follow the command, one after another. */
function textAt(info: Buffer, position: number): string {
  const start = 4 + position * textBytes;
  const text = info.subarray(start, start + textBytes);
  const end = text.indexOf(0);
  return text.toString('latin1', 0, end < 0 ? textBytes : end);
}

function pciFacts(busPath: string, busRoot: string): Pick<LinkHardware, 'pciId' | 'vendorId' | 'productId'> {
  const fact = (file: string) => {
    try {
      return readFileSync(`${busRoot}/${busPath}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  if (!pciPath.test(busPath)) return { pciId: '', vendorId: '', productId: '' };
  return {
    pciId: /^PCI_ID=(.*)$/m.exec(fact('uevent'))?.[1] ?? '',
    vendorId: fact('vendor').trim(),
    productId: fact('device').trim(),
  };
}

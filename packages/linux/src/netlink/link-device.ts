// Reads facts from the driver of a network device through a socket, which belongs to this network namespace,
// while sysfs may belong to another one. Layouts: <linux/ethtool.h>.
import { readFileSync } from 'node:fs';
import type { NativeCalls } from '../native-calls.ts';

/** The device behind a link. Texts are empty and numbers undefined when the driver does not report them. */
export interface LinkDevice {
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
  /** Whether the link has a carrier. */
  readonly hasLink: boolean | undefined;
  readonly speedMbit: number | undefined;
  /** `DUPLEX_*` and `PORT_*`. */
  readonly duplex: number | undefined;
  readonly port: number | undefined;
}

const request = 0x8946;
const commands = { driverInfo: 0x3, link: 0xa, linkSettings: 0x4c } as const;
const nameBytes = 16;
const driverInfoBytes = 196;
const textBytes = 32;
const settingsHeaderBytes = 48;
const wordsOffset = 15;
const unknownSpeed = 0xffff_ffff;
const pciPath = /^[\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.[\da-f]$/;

/**
 * Reads from drivers. Undefined for a link whose driver reports nothing.
 *
 * @param busRoot folder of the PCI devices
 */
export function openLinkDevices(
  calls: NativeCalls,
  busRoot = '/sys/bus/pci/devices',
): (link: { readonly name: string }) => LinkDevice | undefined {
  return ({ name }) => {
    const socket = calls.socket(2, 2, 0);
    try {
      return askDriver(calls, socket, name, busRoot);
    } finally {
      calls.close(socket);
    }
  };
}

function askDriver(
  calls: NativeCalls,
  socket: number,
  name: string,
  busRoot: string,
): LinkDevice | undefined {
  const ask = (question: Buffer): Buffer | undefined => {
    const argument = Buffer.alloc(40);
    argument.write(name, 0, nameBytes - 1, 'latin1');
    argument.writeBigUInt64LE(calls.addressOf(question), nameBytes);
    try {
      calls.control(socket, request, argument);
      return question;
    } catch {
      // The driver does not support it, or the link was removed in the meantime.
      return undefined;
    }
  };
  const info = ask(question(commands.driverInfo, driverInfoBytes));
  const link = ask(question(commands.link, 8));
  const settings = askSettings(ask);
  if (info === undefined && link === undefined && settings === undefined) return undefined;
  const busPath = info === undefined ? '' : textAt(info, 3);
  return {
    driver: info === undefined ? '' : textAt(info, 0),
    driverVersion: info === undefined ? '' : textAt(info, 1),
    firmwareVersion: info === undefined ? '' : textAt(info, 2),
    busPath,
    ...pciFacts(busPath, busRoot),
    hasLink: link && link.readUInt32LE(4) !== 0,
    ...(settings ?? { speedMbit: undefined, duplex: undefined, port: undefined }),
  };
}

function question(command: number, lengthBytes: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.writeUInt32LE(command);
  return bytes;
}

/** Texts of the driver follow the command, one after another. */
function textAt(info: Buffer, position: number): string {
  const start = 4 + position * textBytes;
  const text = info.subarray(start, start + textBytes);
  const end = text.indexOf(0);
  return text.toString('latin1', 0, end < 0 ? textBytes : end);
}

/** The first call returns the length of the masks, the second one the data. */
function askSettings(
  ask: (question: Buffer) => Buffer | undefined,
): Pick<LinkDevice, 'speedMbit' | 'duplex' | 'port'> | undefined {
  const first = ask(question(commands.linkSettings, settingsHeaderBytes));
  if (first === undefined) return undefined;
  const words = -first.readInt8(wordsOffset);
  if (words <= 0) return undefined;
  const second = question(commands.linkSettings, settingsHeaderBytes + 3 * 4 * words);
  second.writeInt8(words, wordsOffset);
  const settings = ask(second);
  if (settings === undefined) return undefined;
  const speed = settings.readUInt32LE(4);
  return {
    speedMbit: speed === unknownSpeed ? undefined : speed,
    duplex: settings.readUInt8(8),
    port: settings.readUInt8(9),
  };
}

function pciFacts(busPath: string, busRoot: string): Pick<LinkDevice, 'pciId' | 'vendorId' | 'productId'> {
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

// The two formats of messages about devices. They arrive on one socket, in one multicast group each. Any process of the
// network namespace may try to send one, so nothing in them is trusted before it was checked.
import type { DeviceEvent } from './device-event.ts';

const nul = 0;
const equals = 0x3d;
const at = 0x40;

/** Source: Linux, kobject uevents. */
const actions = new Set(['add', 'remove', 'change', 'move', 'online', 'offline', 'bind', 'unbind']);
/** The kernel refuses longer ones; udevd has no limit of its own. */
const maxTextLength = 1024;

/**
 * Parses a message of the kernel: `ACTION@DEVPATH`, and properties. Source: Linux, kobject uevents.
 *
 * @returns undefined for a message in another format
 */
export function parseKernelMessage(message: Buffer): DeviceEvent | undefined {
  const headEnd = message.indexOf(nul);
  if (headEnd < 0) return undefined;
  const event = eventFrom('kernel', message.subarray(headEnd + 1));
  const separator = message.indexOf(at);
  if (event === undefined || separator < 0 || separator > headEnd) return undefined;
  const [action, path] = [
    message.toString('utf8', 0, separator),
    message.toString('utf8', separator + 1, headEnd),
  ];
  return action === event.action && path === event.path ? event : undefined;
}

/** `struct monitor_netlink_header`. Its format is that of libudev, and therefore stable. Source: systemd, device monitor. */
const prefix = Buffer.from('libudev\0', 'latin1');
const magic = 0xfeed_cafe;
const headerBytes = 40;
const magicAt = 8;
const headerSizeAt = 12;
const propertiesOffsetAt = 16;
const propertiesLengthAt = 20;

/**
 * Parses a message of udevd: a header of libudev, and properties.
 *
 * @returns undefined for a message in another format
 */
export function parseMonitorMessage(message: Buffer): DeviceEvent | undefined {
  if (message.length < headerBytes || !message.subarray(0, prefix.length).equals(prefix)) return undefined;
  if (message.readUInt32BE(magicAt) !== magic) return undefined;
  // These three are in the byte order of the host, which is little-endian on every architecture of the suite.
  const headerSize = message.readUInt32LE(headerSizeAt);
  const offset = message.readUInt32LE(propertiesOffsetAt);
  const length = message.readUInt32LE(propertiesLengthAt);
  // A later format may have a longer header.
  if (headerSize < headerBytes || offset < headerSize || offset + length > message.length) return undefined;
  return eventFrom('udevd', message.subarray(offset, offset + length));
}

function eventFrom(source: DeviceEvent['source'], block: Buffer): DeviceEvent | undefined {
  const properties = parseProperties(block);
  const action = properties?.get('ACTION') ?? '';
  const path = properties?.get('DEVPATH') ?? '';
  const subsystem = properties?.get('SUBSYSTEM') ?? '';
  if (!actions.has(action) || !isDevicePath(path) || subsystem === '' || subsystem.length > maxTextLength)
    return undefined;
  // A copy: the message is in a buffer that the next one overwrites.
  return { source, action, path, subsystem, properties: Buffer.from(block) };
}

/** Whether a text is the path of a device below `/sys`, and cannot lead to another folder. */
export function isDevicePath(path: string): boolean {
  return (
    path.startsWith('/') &&
    path.length > 1 &&
    path.length <= maxTextLength &&
    !path.includes('\0') &&
    path
      .slice(1)
      .split('/')
      .every((name) => name !== '' && name !== '.' && name !== '..')
  );
}

/**
 * Parses `KEY=VALUE` texts, each terminated by a NUL byte. Of a key that appears twice the last value counts.
 *
 * @returns undefined when a text is incomplete, or has no key
 */
export function parseProperties(block: Buffer): Map<string, string> | undefined {
  const properties = new Map<string, string>();
  for (let start = 0; start < block.length; ) {
    const end = block.indexOf(nul, start);
    const separator = block.indexOf(equals, start);
    if (end < 0 || separator <= start || separator > end) return undefined;
    properties.set(block.toString('utf8', start, separator), block.toString('utf8', separator + 1, end));
    start = end + 1;
  }
  return properties;
}

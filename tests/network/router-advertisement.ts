// Advertisements of routers as frames, also those that no router should send. Source: RFC 4861, section 4.2.
import assert from 'node:assert/strict';
import { systemTimers } from '@nodewright/async';
import {
  type FrameSocket,
  ipAddressBytes,
  loadNativeCalls,
  openFrameSocket,
  readLinks,
} from '@nodewright/linux';
import { openNamespaceOf } from '@nodewright/linux/testing';
import type { LanMachine } from './open-lan.ts';

export const inet6EtherType = 0x86dd;

export interface AdvertisementInit {
  /** A link-local address, and the hardware address of the sender. */
  readonly router: string;
  readonly hardware: string;
  readonly routerSeconds: number;
  readonly options: readonly Uint8Array[];
}

const hardwareBytes = (text: string) => Buffer.from(text.replaceAll(':', ''), 'hex');
const allNodes = 'ff02::1';

/** A frame to all nodes. */
export function advertisementFrame({ router, hardware, routerSeconds, options }: AdvertisementInit): Buffer {
  const icmp = Buffer.concat([Buffer.from([134, 0, 0, 0, 64, 0, 0, 0]), Buffer.alloc(8), ...options]);
  icmp.writeUInt16BE(routerSeconds, 6);
  const [source, destination] = [ipAddressBytes(router), ipAddressBytes(allNodes)];
  const length = Buffer.alloc(4);
  length.writeUInt32BE(icmp.length);
  const sum = checksum(Buffer.concat([source, destination, length, Buffer.from([0, 0, 0, 58]), icmp]));
  icmp.writeUInt16BE(sum, 2);
  const header = Buffer.from([0x60, 0, 0, 0, 0, 0, 58, 255]);
  header.writeUInt16BE(icmp.length, 4);
  const ethernet = Buffer.concat([
    ...[hardwareBytes('33:33:00:00:00:01'), hardwareBytes(hardware)],
    Buffer.from([0x86, 0xdd]),
  ]);
  return Buffer.concat([ethernet, header, source, destination, icmp]);
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** `fd77:1::/64`, on the link and for addresses of hosts. */
export function prefixOption(prefix: string, seconds: number): Buffer {
  const [network = '', length = '64'] = prefix.split('/');
  const option = Buffer.alloc(32);
  option.set([3, 4, Number(length), 0xc0]);
  option.writeUInt32BE(seconds, 4);
  option.writeUInt32BE(seconds, 8);
  option.set(ipAddressBytes(network), 16);
  return option;
}

/** An option with a lifetime: 25 for name servers, 31 for search domains. */
function namesOption(type: number, seconds: number, value: Uint8Array): Buffer {
  const padded = Buffer.concat([value, Buffer.alloc((8 - (value.length % 8)) % 8)]);
  const header = Buffer.from([type, 1 + padded.length / 8, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(seconds, 4);
  return Buffer.concat([header, padded]);
}

export const serversOption = (seconds: number, ...servers: string[]): Buffer =>
  namesOption(25, seconds, Buffer.concat(servers.map(ipAddressBytes)));

/** Each label may have any bytes. */
export const domainsOption = (seconds: number, ...domains: string[]): Buffer => {
  const labels = domains.flatMap((domain) => [
    ...domain
      .split('.')
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
  return namesOption(31, seconds, Buffer.concat(labels));
};

/** Sends frames from the link eth0 of a host. The caller disposes of it. */
export async function openSender(host: LanMachine): Promise<FrameSocket> {
  const calls = await loadNativeCalls();
  using namespace = openNamespaceOf(host.pid);
  return namespace.run(() =>
    openFrameSocket(calls, {
      linkIndex: readLinks(calls).find(({ name }) => name === 'eth0')?.index ?? assert.fail(),
      ...{ etherType: inet6EtherType, filter: [], longestBytes: 64, timers: systemTimers },
      onFrame: () => {},
      onError: (error) => assert.fail(String(error)),
    }),
  );
}

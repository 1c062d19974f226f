import { type Counters, countersFromColumns } from './counters.ts';

/** The counters of a network device since it appeared, in the order of the columns of `/proc/net/dev`. */
export const networkDeviceCounterNames = [
  'rxBytes',
  'rxPackets',
  'rxErrors',
  'rxDropped',
  'rxFifo',
  'rxFrame',
  'rxCompressed',
  'rxMulticast',
  'txBytes',
  'txPackets',
  'txErrors',
  'txDropped',
  'txFifo',
  'txCollisions',
  'txCarrier',
  'txCompressed',
] as const;

export interface NetworkDevice {
  readonly name: string;
  readonly counters: Counters<(typeof networkDeviceCounterNames)[number]>;
}

/** Parses `/proc/net/dev`. The two heading lines, and any line without sixteen numbers, are left out. */
export function parseNetDev(text: string): NetworkDevice[] {
  const devices: NetworkDevice[] = [];
  for (const line of text.split('\n')) {
    // The name may contain a colon (an old-style alias); the numbers never do.
    const colon = line.lastIndexOf(':');
    if (colon < 0) continue;
    const counters = countersFromColumns(
      networkDeviceCounterNames,
      line
        .slice(colon + 1)
        .trim()
        .split(/\s+/),
    );
    if (counters) devices.push({ name: line.slice(0, colon).trim(), counters });
  }
  return devices;
}

import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { ifReadable } from './if-readable.ts';

/** Temporary names, which udev has not renamed yet. */
const unfinished = '.#';

/**
 * The links to each block device, sorted, by the kernel's name of the device.
 *
 * @param folder default `/dev/disk`, with one folder per naming scheme.
 */
export function readDeviceLinks(folder = '/dev/disk'): ReadonlyMap<string, readonly string[]> {
  const links = new Map<string, string[]>();
  for (const way of deviceLinkFolders(folder)) {
    for (const name of namesIn(way)) {
      const target = ifReadable(() => readlinkSync(`${way}/${name}`));
      if (target === undefined || name.startsWith(unfinished)) continue;
      const device = basename(target);
      links.set(device, [...(links.get(device) ?? []), `${way}/${name}`].sort());
    }
  }
  return links;
}

/** The folders with links; empty without `/dev/disk`. */
export function deviceLinkFolders(folder = '/dev/disk'): string[] {
  return namesIn(folder).map((name) => `${folder}/${name}`);
}

function namesIn(folder: string): string[] {
  return (ifReadable(() => readdirSync(folder)) ?? []).sort();
}

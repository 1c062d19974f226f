import type { ConfigReader } from '@nodewright/machine-config';
import { type DeviceConfig, namesOfDevice } from './device-configs.ts';
import { findLink } from './find-link.ts';
import { configuredLinks } from './link-documents.ts';

/** Which parts of a configuration say something about a link, such as `VLANConfig eth0.5`. */
export interface DocumentsOfLinks {
  /** Those about the link itself, and those that make it a member of another link. */
  ofLink(name: string): readonly string[];
  /** Those that may give it addresses and routes. */
  ofSettings(name: string): readonly string[];
  /** Those of a route without a link. */
  ofRoute(destination: string): readonly string[];
}

/** @param links what the kernel has: a document may use another name of a link */
export function documentsOfLinks(
  reader: ConfigReader,
  devices: readonly DeviceConfig[],
  links: readonly { readonly name: string; readonly alias: string; readonly altNames: readonly string[] }[],
): DocumentsOfLinks {
  const own = new Map<string, Set<string>>();
  const members = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, written: string, source: string) => {
    for (const name of new Set([written, findLink(links, written)?.name ?? written]))
      to.set(name, (to.get(name) ?? new Set()).add(source));
  };
  for (const { kind, name, document } of configuredLinks(reader)) {
    add(own, name, `${kind} ${document.name}`);
    for (const member of document.texts('links')) add(members, member, `${kind} ${document.name}`);
  }
  for (const kind of ['DHCPv4Config', 'DHCPv6Config'] as const)
    for (const document of reader.documents(kind)) add(members, document.name, `${kind} ${document.name}`);
  for (const device of devices) {
    const source = `machine.network.interfaces ${device.name}`;
    for (const name of namesOfDevice(device)) add(own, name, source);
    for (const name of device.entry.texts('bond', 'interfaces')) add(members, name, source);
    for (const name of device.entry.texts('bridge', 'interfaces')) add(members, name, source);
  }
  return {
    ofLink: (name) => [...new Set([...(own.get(name) ?? []), ...(members.get(name) ?? [])])],
    ofSettings: (name) => [...(own.get(name) ?? [])],
    ofRoute: (destination) =>
      reader
        .documents('BlackholeRouteConfig')
        .filter(({ name }) => name === destination)
        .map(({ name }) => `BlackholeRouteConfig ${name}`),
  };
}

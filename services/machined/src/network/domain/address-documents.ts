import type { ConfigReader } from '@nodewright/machine-config';
import type { AddressSpecSpec } from '@nodewright/state/kinds';
import { isLinkLocal, isLoopback, parsePrefix, withPrefixLength } from '../../base/domain/prefix.ts';
import { configuredLinks } from './link-documents.ts';
import type { Layer } from './merge-layers.ts';

/** Source: Talos v1.14: machine configuration, network documents; network.AddressConfigController. */
export function addressSpecsOf(reader: ConfigReader): AddressSpecSpec[] {
  return configuredLinks(reader).flatMap(({ name, document, path }) =>
    document
      .items(...path, 'addresses')
      .map((entry) =>
        linkAddress(name, entry.text('address'), 'configuration', entry.integer('routePriority') ?? 0),
      ),
  );
}

/** The spec of an address on a link. */
export function linkAddress(linkName: string, text: string, layer: Layer, priority = 0): AddressSpecSpec {
  const prefix = parsePrefix(text);
  const scope =
    prefix === undefined ? 'global' : isLoopback(prefix) ? 'host' : isLinkLocal(prefix) ? 'link' : 'global';
  return {
    ...{ address: withPrefixLength(text), linkName, family: prefix?.family === 6 ? 'inet6' : 'inet4', scope },
    ...{ flags: ['permanent'], announceWithARP: false, priority, layer },
  };
}

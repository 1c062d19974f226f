import type { ConfigReader, DocumentReader } from '@nodewright/machine-config';
import type { RouteSpecSpec, RoutingRuleSpecSpec } from '@nodewright/state/kinds';
import { isLoopback, isMulticast, parsePrefix } from '../../base/domain/prefix.ts';
import { configuredLinks } from './link-documents.ts';

/** Source: Talos v1.14: network id and merge rules, default metric. */
export const defaultMetric = 1024;

/** A route without a destination. */
export const plainRoute: Omit<RouteSpecSpec, 'family' | 'dst'> = {
  ...{ src: '', gateway: '', outLinkName: '', table: 'main', priority: defaultMetric, scope: 'global' },
  ...{ type: 'unicast', flags: [], protocol: 'static', layer: 'configuration', mtu: 0, nextHops: [] },
};

/** Source: Talos v1.14: machine configuration, network documents; network.RouteConfigController. */
export function routeSpecsOf(reader: ConfigReader): RouteSpecSpec[] {
  const ofLinks = configuredLinks(reader).flatMap(({ name, document, path }) =>
    document.items(...path, 'routes').map((entry) => linkRoute(name, entry, entry.text('destination'))),
  );
  const blackholes = reader.documents('BlackholeRouteConfig').map((document): RouteSpecSpec => {
    const priority = document.integer('metric') || defaultMetric;
    return {
      ...plainRoute,
      family: familyOf(document.name),
      dst: document.name,
      type: 'blackhole',
      priority,
    };
  });
  return [...ofLinks, ...blackholes];
}

const everything = new Set(['0.0.0.0/0', '::/0']);

/** @param dst empty: the default route */
export function linkRoute(outLinkName: string, entry: DocumentReader, dst: string): RouteSpecSpec {
  const [gateway, src] = [entry.text('gateway'), entry.text('source')];
  const prefix = parsePrefix(dst);
  const isLocal = prefix !== undefined && isLoopback(prefix);
  return {
    ...plainRoute,
    family: familyOf(gateway || dst || src),
    dst: everything.has(dst) ? '' : dst,
    ...{ src, gateway, outLinkName },
    // A destination on the link itself needs no gateway.
    scope: isLocal ? 'host' : gateway === '' ? 'link' : 'global',
    type: prefix !== undefined && isMulticast(prefix) ? 'multicast' : 'unicast',
    table: (entry.text('table') || 'main') as RouteSpecSpec['table'],
    priority: entry.integer('metric') || defaultMetric,
    mtu: entry.integer('mtu') ?? 0,
  };
}

/** Source: Talos v1.14: machine configuration, RoutingRuleConfig; network.RoutingRuleConfigController. */
export function routingRuleSpecsOf(reader: ConfigReader): RoutingRuleSpecSpec[] {
  return reader.documents('RoutingRuleConfig').flatMap((document) => {
    const [src, dst] = [document.text('src'), document.text('dst')];
    const network = src || dst;
    // A rule without a source or destination becomes one rule per address family.
    const families = network === '' ? (['inet4', 'inet6'] as const) : [familyOf(network)];
    return families.map(
      (family): RoutingRuleSpecSpec => ({
        ...{ family, src, dst, priority: Number(document.name), layer: 'configuration' as const },
        table: (document.text('table') || 'unspec') as RoutingRuleSpecSpec['table'],
        action: (document.text('action') || 'unicast') as RoutingRuleSpecSpec['action'],
        ...{ iifName: document.text('iifName'), oifName: document.text('oifName') },
        ...{ fwMark: document.integer('fwMark') ?? 0, fwMask: document.integer('fwMask') ?? 0 },
      }),
    );
  });
}

const familyOf = (text: string): 'inet4' | 'inet6' => (text.includes(':') ? 'inet6' : 'inet4');

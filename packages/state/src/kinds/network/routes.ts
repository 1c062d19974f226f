import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  cidr,
  field,
  ip,
  list,
  message,
  text,
  uint32,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import {
  configLayer,
  family,
  routeFlags,
  routeProtocol,
  routeType,
  routingRuleAction,
  routingTable,
  scope,
} from './enumerations.ts';

const routeNextHop = message({
  gateway: field(1, ip),
  outLinkName: unlessEmpty(2, text),
  weight: unlessEmpty(3, uint32),
});
export type RouteNextHop = ValueOf<typeof routeNextHop>;

/**
 * Routes in the kernel, with IDs `<table>/<link>/<family>/<gateway>/<destination>/<priority>`. The ID omits
 * the table `main`, and the link of IPv4 routes.
 */
export const routeStatuses = defineKind({
  type: 'RouteStatuses.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['route', 'routes'],
  printColumns: {
    Destination: '{.dst}',
    Gateway: '{.gateway}',
    Link: '{.outLinkName}',
    Metric: '{.priority}',
  },
  spec: {
    family: field(1, family),
    /** Empty for the default route. */
    dst: field(2, cidr),
    src: field(3, ip),
    gateway: field(4, ip),
    outLinkIndex: unlessEmpty(5, uint32),
    outLinkName: unlessEmpty(6, text),
    table: field(7, routingTable),
    priority: field(8, uint32),
    scope: field(9, scope),
    type: field(10, routeType),
    flags: field(11, routeFlags),
    protocol: field(12, routeProtocol),
    mtu: unlessEmpty(13, uint32),
    nextHops: unlessEmpty(14, list(routeNextHop)),
  },
});
export type RouteStatusSpec = SpecOf<typeof routeStatuses>;

export const routeSpecsFields = {
  family: field(1, family),
  /** Empty for the default route. */
  dst: field(2, cidr),
  src: field(3, ip),
  gateway: field(4, ip),
  outLinkName: unlessEmpty(5, text),
  table: field(6, routingTable),
  priority: unlessEmpty(7, uint32),
  scope: field(8, scope),
  type: field(9, routeType),
  flags: field(10, routeFlags),
  protocol: field(11, routeProtocol),
  layer: field(12, configLayer),
  mtu: unlessEmpty(13, uint32),
  nextHops: unlessEmpty(14, list(routeNextHop)),
};

/**
 * Desired routes, with the ID form of route statuses. The namespace `network-config` has the routes of each
 * layer.
 */
export const routeSpecs = defineKind({
  type: 'RouteSpecs.net.talos.dev',
  defaultNamespace: 'network',
  spec: routeSpecsFields,
});
export type RouteSpecSpec = SpecOf<typeof routeSpecs>;

/**
 * Desired routing rules, with IDs `<family>/<priority>`, where the priority has five digits. The namespace
 * `network-config` has the rules of each layer.
 */
export const routingRuleSpecs = defineKind({
  type: 'RoutingRuleSpecs.net.talos.dev',
  defaultNamespace: 'network',
  spec: {
    family: field(1, family),
    src: field(2, cidr),
    dst: field(3, cidr),
    table: field(4, routingTable),
    priority: field(5, uint32),
    action: field(6, routingRuleAction),
    iifName: unlessEmpty(7, text),
    oifName: unlessEmpty(8, text),
    fwMark: unlessEmpty(9, uint32),
    fwMask: unlessEmpty(10, uint32),
    layer: field(11, configLayer),
  },
});
export type RoutingRuleSpecSpec = SpecOf<typeof routingRuleSpecs>;

/** Routing rules in the kernel, with IDs `<family>/<priority>`, where the priority has five digits. */
export const routingRuleStatuses = defineKind({
  type: 'RoutingRuleStatuses.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['routingrule', 'routingrules'],
  printColumns: {
    Src: '{.src}',
    Dst: '{.dst}',
    Table: '{.table}',
    Priority: '{.priority}',
  },
  spec: {
    family: field(1, family),
    src: field(2, cidr),
    dst: field(3, cidr),
    table: field(4, routingTable),
    priority: field(5, uint32),
    action: field(6, routingRuleAction),
    iifName: unlessEmpty(7, text),
    oifName: unlessEmpty(8, text),
    fwMark: unlessEmpty(9, uint32),
    fwMask: unlessEmpty(10, uint32),
  },
});
export type RoutingRuleStatusSpec = SpecOf<typeof routingRuleStatuses>;

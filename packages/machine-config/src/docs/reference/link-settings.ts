import type { ReferenceDocs } from './reference-docs.ts';

/** The fields of all kinds of links. Source: Talos v1.14: machine configuration, common link fields. */
export const linkSettings: ReferenceDocs = {
  up: { help: 'Whether the link is set up.', default: 'true' },
  mtu: {
    help: 'Size of the largest packet of the link (MTU), in bytes.',
    example: 9000,
    default: 'that of the driver',
  },
  addresses: { help: 'Addresses of the link.' },
  'addresses.address': {
    help: 'Address with the prefix length of its network; not 0.0.0.0 or ::.',
    example: '192.0.2.10/24',
    isRequired: true,
  },
  'addresses.routePriority': {
    help: 'Metric of the route to the network of the address, which the kernel adds.',
    example: 100,
    default: 'chosen by the kernel',
  },
  routes: { help: 'Routes over the link; each needs a destination or a gateway.' },
  'routes.destination': {
    help: 'Network that the route leads to; without it the route is the default route of the family of the gateway.',
    example: '198.51.100.0/24',
  },
  'routes.gateway': {
    help: 'Address of the router; without it the destination is on the link itself.',
    example: '192.0.2.1',
  },
  'routes.source': {
    help: 'Source address of packets that take the route, unless their program chooses one.',
    example: '192.0.2.10',
  },
  'routes.metric': {
    help: 'Priority of the route: of several routes to a network the one with the lowest metric is used.',
    example: 512,
    default: '1024',
  },
  'routes.mtu': { help: 'Size of the largest packet on the route (MTU), in bytes.', example: 1400 },
  'routes.table': {
    help: 'Routing table that the route belongs to: 1 to 252, default, main or local.',
    example: '100',
    default: 'main',
  },
  multicast: {
    help: 'Whether the link has the flag multicast.',
    default: 'unchanged',
  },
};

/** `hardwareAddr` of links that the node creates. */
export const hardwareAddress = {
  help: 'Hardware address (MAC) of the link.',
  example: '2e:3c:4d:5e:6f:70',
};

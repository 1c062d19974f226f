import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, ip, list, message, optional, unlessEmpty } from '../../spec/field-types.ts';
import { platformMetadatasFields } from '../runtime/platform-metadata.ts';
import { addressSpecsFields } from './addresses.ts';
import { hostnameSpecsFields } from './hostnames.ts';
import { linkSpecsFields } from './links.ts';
import { operatorSpecsFields } from './operators.ts';
import { probeSpecsFields } from './probes.ts';
import { resolverSpecsFields } from './resolvers.ts';
import { routeSpecsFields } from './routes.ts';
import { timeServerSpecsFields } from './time-servers.ts';

export const platformConfigsFields = {
  addresses: field(1, list(message(addressSpecsFields))),
  links: field(2, list(message(linkSpecsFields))),
  routes: field(3, list(message(routeSpecsFields))),
  hostnames: field(4, list(message(hostnameSpecsFields))),
  resolvers: field(5, list(message(resolverSpecsFields))),
  timeServers: field(6, list(message(timeServerSpecsFields))),
  operators: field(7, list(message(operatorSpecsFields))),
  externalIPs: field(8, list(ip)),
  probes: unlessEmpty(9, list(message(probeSpecsFields))),
  metadata: unlessEmpty(10, optional(message(platformMetadatasFields))),
};

/** The network configuration from the platform: `active`, and `cached` from the last boot. */
export const platformConfigs = defineKind({
  type: 'PlatformConfigs.net.talos.dev',
  defaultNamespace: 'network',
  spec: platformConfigsFields,
});
export type PlatformConfigSpec = SpecOf<typeof platformConfigs>;

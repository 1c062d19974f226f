import type { NodeClient } from '@nodewright/client';
import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { extensionServiceConfigStatuses } from '@nodewright/state/kinds';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { listServices, serviceDocument, serviceRow } from '../../nodes/service-rows.ts';

interface ExtensionService {
  readonly service: ServiceInfo;
  /** Version of the ExtensionServiceConfig that the service runs with; empty without one. */
  readonly configVersion: string;
}

/** The services of extensions have this in front of their names. Source: Talos v1.14: extension services. */
const prefix = 'ext-';

/** `talosctl extensions status`: the services of the extensions of each node, with the version of their configuration. */
export function defineExtensionsStatus(extensions: Command, env: CliEnvironment): void {
  addOutputOption(
    extensions.command('status').description('Show the services of the system extensions of nodes'),
  ).action((_: OutputOptions, command: Command) =>
    reportNodes<readonly ExtensionService[]>(env, command.optsWithGlobals<NodeOptions & OutputOptions>(), {
      call: servicesOf,
      header: ['NODE', 'SERVICE', 'STATE', 'HEALTH', 'LAST CHANGE', 'LAST EVENT', 'CONFIG VERSION'],
      headerWithoutRows: true,
      flushWhenIdle: false,
      rows: (node, services) =>
        services.map(({ service, configVersion }) => [
          ...serviceRow(node, service, env.now()),
          configVersion,
        ]),
      document: (services) => ({
        services: services.map(({ service, configVersion }) => ({
          ...serviceDocument(service),
          configVersion,
        })),
      }),
    }),
  );
}

async function servicesOf(node: NodeClient, signal: AbortSignal): Promise<ExtensionService[]> {
  const [services, configs] = await Promise.all([
    listServices(node, signal),
    node.resources.list(extensionServiceConfigStatuses, { signal }),
  ]);
  const versions = new Map(configs.map(({ metadata, spec }) => [metadata.id, spec.specVersion]));
  return services
    .filter(({ id }) => id.startsWith(prefix))
    .map((service) => ({ service, configVersion: versions.get(service.id.slice(prefix.length)) ?? '' }));
}

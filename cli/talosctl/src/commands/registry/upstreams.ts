import type { UpstreamEndpoint } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { addRegistryCommand, type RegistryOptions, timeText } from './registry-options.ts';

interface RegistryEndpoint extends UpstreamEndpoint {
  readonly registry: string;
}

/** `talosctl registry upstreams`: where each node downloads images, and how these registries answered. */
export function defineRegistryUpstreams(registry: Command, env: CliEnvironment): void {
  addRegistryCommand(
    registry,
    'upstreams',
    'Show the registries of the image cache, and how they answer',
  ).action((_: RegistryOptions, command: Command) =>
    reportNodes<readonly RegistryEndpoint[]>(env, command.optsWithGlobals<RegistryOptions>(), {
      async call(node, signal) {
        const { upstreams } = await node.registry.status({}, { signal });
        return upstreams.flatMap(({ registry: name, endpoints }) =>
          endpoints.map((endpoint) => ({ registry: name, ...endpoint })),
        );
      },
      header: [
        ...['NODE', 'REGISTRY', 'ENDPOINT', 'KIND', 'CREDENTIALS', 'VERIFIED', 'REQUESTS', 'FAILED'],
        ...['LAST ANSWER', 'LAST FAILURE', 'ERROR'],
      ],
      headerWithoutRows: true,
      flushWhenIdle: false,
      rows: (node, endpoints) => endpoints.map((endpoint) => endpointRow(node, endpoint)),
      document: (endpoints) => ({ endpoints }),
    }),
  );
}

function endpointRow(node: string, endpoint: RegistryEndpoint): string[] {
  return [
    ...[node, endpoint.registry, endpoint.url, endpoint.isMirror ? 'mirror' : 'registry'],
    ...[endpoint.hasCredentials, !endpoint.skipsVerification].map(String),
    ...[endpoint.requests, endpoint.failures].map(String),
    ...[endpoint.lastAnswer, endpoint.lastErrorTime].map(timeText),
    endpoint.lastError,
  ];
}

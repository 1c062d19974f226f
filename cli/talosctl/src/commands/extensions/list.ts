import type { Resource } from '@nodewright/client';
import { type ExtensionStatusSpec, extensionStatuses } from '@nodewright/state/kinds';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';

type Extension = Resource<ExtensionStatusSpec>;

/** `talosctl extensions list`: the extensions of each node, lowest layer first. */
export function defineExtensionsList(extensions: Command, env: CliEnvironment): void {
  addOutputOption(extensions.command('list').description('List the system extensions of nodes'))
    .alias('ls')
    .action((_: OutputOptions, command: Command) =>
      reportNodes<readonly Extension[]>(env, command.optsWithGlobals<NodeOptions & OutputOptions>(), {
        call: (node, signal) => node.resources.list(extensionStatuses, { signal }),
        header: ['NODE', 'LAYER', 'NAME', 'VERSION', 'AUTHOR', 'NEEDS TALOS', 'IMAGE', 'DESCRIPTION'],
        headerWithoutRows: true,
        flushWhenIdle: false,
        rows: (node, found) => found.map((extension) => extensionRow(node, extension)),
        document: (found) => ({
          extensions: found.map(({ metadata, spec }) => ({ layer: metadata.id, ...spec })),
        }),
      }),
    );
}

function extensionRow(node: string, { metadata: { id }, spec: { image, metadata } }: Extension): string[] {
  const { name, version, author, description, compatibility } = metadata;
  return [node, id, name, version, author, compatibility.talos.version, image, description.trim()];
}

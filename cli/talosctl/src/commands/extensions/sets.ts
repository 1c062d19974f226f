import {
  type ExtensionSet,
  NextStart,
  type StatusResponse,
} from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { layersText, shortHash } from './set-text.ts';

/** `talosctl extensions sets`: the set that each machine runs, and what its next start tries. */
export function defineExtensionsSets(extensions: Command, env: CliEnvironment): void {
  addOutputOption(
    extensions
      .command('sets')
      .description('Show the sets of system extensions that were installed on machines'),
  ).action((_: OutputOptions, command: Command) =>
    reportNodes<StatusResponse>(env, command.optsWithGlobals<NodeOptions & OutputOptions>(), {
      call: (node, signal) => node.extensionSets.status({}, { signal }),
      header: ['NODE', 'START', 'SET', 'SIZE', 'EXTENSIONS', 'PROBLEM'],
      headerWithoutRows: true,
      flushWhenIdle: false,
      rows: (node, { running, nextStart, next, problem }) => [
        [node, 'this', ...setCells(running), problem],
        ...(next === undefined && nextStart !== NextStart.NEXT_START_REMOVES
          ? []
          : [[node, 'next', ...setCells(next), '']]),
      ],
      document: (status) => status,
    }),
  );
}

const setCells = (set: ExtensionSet | undefined): string[] =>
  set === undefined
    ? ['none', '', '']
    : [shortHash(set.rootHash), formatDecimalSize(set.sizeBytes), layersText(set)];

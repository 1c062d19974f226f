import type { Transfer } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, followedOutput } from '../../nodes/node-options.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { reportStream } from '../../nodes/report-stream.ts';
import { printableCell } from '../../render/printable.ts';
import { formatDecimalSize } from '../../render/size.ts';
import type { RegistryOptions } from './registry-options.ts';

type TransfersOptions = RegistryOptions & { readonly follow?: boolean };

/** `talosctl registry transfers`: the blobs that each node is downloading, with bytes and rate. */
export function defineRegistryTransfers(registry: Command, env: CliEnvironment): void {
  addOutputOption(
    registry.command('transfers').description('Show the downloads of the image cache'),
    followedOutput,
  )
    .option('-f, --follow', 'keep running, and print the downloads twice per second while there are any')
    .action((_: TransfersOptions, command: Command) => {
      const options = command.optsWithGlobals<TransfersOptions>();
      return options.follow ? followTransfers(env, options) : showTransfers(env, options);
    });
}

function showTransfers(env: CliEnvironment, options: TransfersOptions): Promise<void> {
  return reportNodes<readonly Transfer[]>(env, options, {
    call: async (node, signal) => (await node.registry.status({}, { signal })).transfers,
    header: ['NODE', 'REGISTRY', 'REPOSITORY', 'DIGEST', 'DOWNLOADED', 'SIZE', 'RATE'],
    headerWithoutRows: true,
    flushWhenIdle: false,
    rows: (node, transfers) => transfers.map((transfer) => [node, ...transferCells(transfer)]),
    document: (transfers) => ({ transfers }),
  });
}

function followTransfers(env: CliEnvironment, options: TransfersOptions): Promise<void> {
  return reportStream(env, options, {
    isEndless: true,
    call: (node, signal) => node.registry.watchTransfers({}, { signal }),
    text: (node, { transfers }) =>
      transfers.length === 0
        ? `${node}: no downloads\n`
        : transfers.map((transfer) => `${node}: ${lineOf(transfer)}\n`).join(''),
    documents: ({ transfers }) => [{ transfers }],
  });
}

function transferCells({
  registry,
  repository,
  digest,
  bytes,
  totalBytes,
  bytesPerSecond,
}: Transfer): string[] {
  return [
    ...[registry, repository, digest, formatDecimalSize(bytes)],
    // 0 while the registry has not said it.
    totalBytes === 0n ? '' : formatDecimalSize(totalBytes),
    `${formatDecimalSize(bytesPerSecond)}/s`,
  ];
}

function lineOf(transfer: Transfer): string {
  const [registry = '', repository = '', digest = '', done, size, rate] = transferCells(transfer);
  const name = printableCell(`${registry}/${repository}@${digest}`);
  return `${name}: ${done}${size === '' ? '' : ` of ${size}`}, ${rate}`;
}

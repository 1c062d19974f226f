import { systemTimers } from '@nodewright/async';
import type { TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { buildInfo } from '@nodewright/contract';
import { MeetingPoint } from '../action/meeting-point.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { ReportedFailure, UsageFault } from '../context/failure.ts';
import { PartialFile } from '../context/partial-file.ts';
import { addHelp } from '../help/more-help.ts';
import { addInsecureOptions, addNodeOptions, collectList, type NodeOptions } from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';
import { escapeLine } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import { formatJson } from '../render/json.ts';
import { type OutputFormat, outputFormats } from '../render/output-format.ts';
import { formatDecimalSize } from '../render/size.ts';
import { archiveDestination, defaultArchiveName } from '../support/archive-destination.ts';
import { ArchiveWriter } from '../support/archive-writer.ts';
import { collectNode, type NodeCollection } from '../support/collect-node.ts';
import { KnownSecrets } from '../support/secret-filter.ts';
import { SupportProgress } from '../support/support-progress.ts';
import { failureTable, supportDocument } from '../support/support-report.ts';
import { wholeNumberBetween } from '../values/parse-whole-number.ts';

interface SupportOptions extends NodeOptions {
  readonly output?: string;
  readonly numWorkers: number;
  readonly verbose: boolean;
  readonly format: OutputFormat;
  readonly encryptionRecipients?: readonly string[];
}

/**
 * Collects from all nodes in parallel. A failure to write the archive stops the collection on every node. After Ctrl-C the result
 * is what was collected until then.
 */
async function collectNodes(
  env: CliEnvironment,
  client: TalosClient,
  archive: ArchiveWriter,
  { numWorkers: workers, verbose }: SupportOptions,
): Promise<NodeCollection[]> {
  using stop = new DisposableStack();
  const failed = stop.adopt(new AbortController(), (controller) => controller.abort());
  const signal = AbortSignal.any([env.signal, failed.signal]);
  const secrets = new KnownSecrets();
  const now = () => env.now();
  using progress = new SupportProgress(
    env.stderr,
    client.targets.map(({ name }) => name),
  );
  const count = client.targets.length;
  const [configurations, resources] = [new MeetingPoint(count), new MeetingPoint(count)];
  return await Promise.all(
    client.targets.map(async (node) => {
      const gates = { configurations: configurations.place(), resources: resources.place() };
      const onProgress = (done: number, total: number, source: string) => {
        progress.step(node.name, done, total, source);
        if (verbose && !env.stderr.isTTY)
          env.stderr.write(`${nodeNameInLine(node.name)}: ${escapeLine(source)}\n`);
      };
      const collection = await collectNode({
        ...{ node, archive, secrets, workers, signal, now, onProgress, gates },
        timers: systemTimers,
      });
      const { files, sizeBytes, failures } = collection;
      const rest = failures.length === 0 ? '' : `, ${failures.length} failed`;
      progress.end(node.name, `${files} files, ${formatDecimalSize(BigInt(sizeBytes))}${rest}`);
      return collection;
    }),
  );
}

async function writeSupport(env: CliEnvironment, options: SupportOptions): Promise<void> {
  if (options.encryptionRecipients !== undefined) {
    throw new UsageFault(
      'flag --encryption-recipients is not implemented: encrypt the archive yourself, for example with age',
    );
  }
  using client = await openClient(env, options);
  const [first] = client.targets;
  if (first === undefined) return;
  const name = options.output ?? (await defaultArchiveName(first, env.signal));
  const path = await archiveDestination(env, name, { output: options.format });

  await using file = await PartialFile.open(path);
  const archive = new ArchiveWriter(file, env.now());
  const collections = await collectNodes(env, client, archive, options);
  // A Ctrl-C after the last node changes nothing any more: the archive is complete.
  const isInterrupted = collections.some(({ failures }) =>
    failures.some(({ fault }) => fault.kind === 'cancelled' && env.signal.aborted),
  );
  const failures = failureTable(collections, env.stderr.isTTY);
  if (failures !== '') env.stderr.write(failures);
  if (archive.names.length === 0) throw new ReportedFailure();

  const about = { talosctl: buildInfo, collected: env.now().toISOString() };
  await archive.add(
    'support.json',
    texts(`${formatJson({ ...about, ...supportDocument(name, undefined, collections, isInterrupted) })}\n`),
  );
  await archive.finish();
  await file.commit();
  if (options.format === 'table') {
    const size = formatDecimalSize(BigInt(file.sizeBytes));
    env.stdout.write(
      `${JSON.stringify(name)}: ${archive.names.length} files, ${size}. Known secrets are removed; the archive is not encrypted.\n`,
    );
  } else {
    await writeDocument(
      env.stdout,
      options.format,
      supportDocument(name, file.sizeBytes, collections, isInterrupted),
    );
  }
  if (!isInterrupted) return;
  env.stderr.write(`interrupted: ${JSON.stringify(name)} has only what was collected until then\n`);
  throw new ReportedFailure();
}

async function* texts(...parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

/** `talosctl support`: collects into one archive what a maintainer needs. Source: Talos v1.14: support. */
export const supportCommand: CommandModule = {
  define(command, env) {
    addHelp(
      command,
      "Machine configurations, resources and logs are collected without their secrets: specs of secret resource types are replaced as a whole, and secrets of the configuration are removed from every file. The archive is not encrypted, while upstream's talosctl encrypts its archive for its maintainers.",
    );
    addInsecureOptions(addNodeOptions(command))
      .option('-O, --output <path>', 'file to write (default: support-<cluster>.zip)')
      .option(
        '-w, --num-workers <count>',
        'number of parallel requests to each node',
        wholeNumberBetween(1, 64),
        1,
      )
      .option('-v, --verbose', 'print the name of each part as it is collected', false)
      .addOption(
        command
          .createOption('-o, --format <format>', 'output format of the summary')
          .choices(outputFormats)
          .default('table'),
      )
      .option('--no-encryption', 'accepted, but has no effect: archives are never encrypted')
      .addOption(command.createOption('--encryption-recipients <keys>').argParser(collectList).hideHelp())
      .addOption(command.createOption('--encryption-no-default-recipients').hideHelp())
      .action((options: SupportOptions) => writeSupport(env, options));
  },
};

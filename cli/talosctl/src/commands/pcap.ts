import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { longestTimerMs } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import type { BPFInstruction } from '@nodewright/contract/gen/machine/machine.ts';
import { type Fault, faultFrom } from '@nodewright/fault';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { PartialFile } from '../context/partial-file.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import { addNodeOptions, type NodeOptions } from '../nodes/node-options.ts';
import { onlyTarget } from '../nodes/only-target.ts';
import { openClient } from '../nodes/open-client.ts';
import { showTransfer } from '../nodes/show-transfer.ts';
import { packetDocument, packetLine } from '../packet/packet-line.ts';
import { parseBpfFilter } from '../packet/parse-bpf-filter.ts';
import { PcapReader } from '../packet/pcap-reader.ts';
import { openItems } from '../render/document.ts';
import { parseGoDuration } from '../values/go-duration.ts';

interface PcapOptions extends NodeOptions {
  readonly interface: string;
  readonly promiscuous?: boolean;
  readonly output?: string;
  readonly json?: boolean;
  readonly bpfFilter?: readonly BPFInstruction[];
  /** Nanoseconds. */
  readonly duration?: bigint;
  readonly snaplen?: string;
}

/** Receives the bytes of a capture. */
interface Sink extends AsyncDisposable {
  write(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
}

const standardOutput = '-';
const nanosInMillisecond = 1_000_000n;

const pipeSink = (file: FileHandle): Sink => ({
  write: async (bytes) => void (await file.writeFile(bytes)),
  end: () => file.close(),
  [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
});

/** The file has its name when the capture has ended, also by a full disk or a second interrupt. Source: Talos v1.14: pcap. */
const fileSink = (file: PartialFile): Sink => ({
  write: (bytes) => file.write(bytes),
  end: () => file.commit(),
  [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
});

async function openSink(env: CliEnvironment, { output, json = false }: PcapOptions): Promise<Sink> {
  if (output === standardOutput) {
    return {
      write: (bytes) => writeSlowly(env.stdout, bytes),
      end: async () => {},
      async [Symbol.asyncDispose]() {},
    };
  }
  if (output !== undefined) {
    const path = resolve(env.cwd, output);
    // Another program may read a pipe while packets arrive.
    const isPipe = await stat(path).then(
      (found) => !found.isFile(),
      () => false,
    );
    return isPipe
      ? pipeSink(await open(path, 'w'))
      : fileSink(await PartialFile.open(path, { mode: 0o666, keepsPart: true }));
  }
  const reader = new PcapReader();
  const document = json ? openItems(env.stdout, 'json', false) : undefined;
  return {
    async write(bytes) {
      for (const packet of reader.push(bytes)) {
        if (document === undefined) await writeSlowly(env.stdout, `${packetLine(packet)}\n`);
        else await document.add(packetDocument(packet));
      }
    },
    async end() {
      document?.end();
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Captures until `--duration` has passed or the user presses Ctrl-C. Neither is a failure. */
async function capture(node: NodeClient, env: CliEnvironment, options: PcapOptions): Promise<void> {
  const request = {
    interface: options.interface,
    promiscuous: options.promiscuous ?? false,
    snapLen: 0,
    bpfFilter: [...(options.bpfFilter ?? [])],
  };
  const ended = new AbortController();
  const ms = options.duration === undefined ? undefined : Number(options.duration / nanosInMillisecond);
  const timer = ms === undefined ? undefined : setTimeout(() => ended.abort(), Math.min(ms, longestTimerMs));
  const signal = AbortSignal.any([env.signal, ended.signal]);
  let failure: Fault | undefined;
  await using scope = new AsyncDisposableStack();
  let sink: Sink | undefined;
  let isWriting = false;
  try {
    const pieces = node.machine.packetCapture(request, { signal });
    const isForFile = options.output !== undefined && options.output !== standardOutput;
    for await (const bytes of showTransfer(env, node.name, pieces, isForFile ? {} : env.stdout)) {
      isWriting = true;
      // Open the file only when bytes arrive: a refused call must not replace an existing file.
      sink ??= scope.use(await openSink(env, options));
      await sink.write(bytes);
      isWriting = false;
    }
  } catch (error) {
    // A local write error is not a failure of the node.
    if (isWriting) throw error;
    if (!signal.aborted) failure = faultFrom(error);
  } finally {
    clearTimeout(timer);
  }
  await sink?.end();
  if (failure === undefined) return;
  const errors = new NodeErrors(env);
  errors.add(node.name, failure);
  errors.end();
}

/** `talosctl pcap`. Source: Talos v1.14: pcap. */
export const pcapCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command)
      .option('-i, --interface <name>', 'network interface to listen on', 'eth0')
      .option('--promiscuous', 'also capture packets for other hosts')
      .option('-o, --output <path>', 'write a pcap file instead of lines; - is standard output')
      .option('--json', 'print the packets as JSON instead of lines')
      .option(
        '--bpf-filter <program>',
        'capture only packets that this program accepts: --bpf-filter "$(tcpdump -dd -y EN10MB \'tcp and port 80\')"',
        parseBpfFilter,
      )
      .option('--duration <duration>', 'stop after this time, for example 30s', parseGoDuration)
      .addOption(command.createOption('-s, --snaplen <bytes>', 'accepted, but has no effect').hideHelp())
      .action(async (options: PcapOptions) => {
        if (options.snaplen !== undefined) {
          env.stderr.write('warning: flag --snaplen has no effect: packets are never truncated\n');
        }
        using client = await openClient(env, options);
        await capture(onlyTarget(client, 'pcap'), env, options);
      });
  },
};

import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { archiveName } from './archive-path.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import type { Collector } from './collector.ts';
import { eventsCollector, kubernetesLogCollectors, logCollectors } from './log-collectors.ts';
import { configurationCollector, resourceCollectors } from './resource-collectors.ts';
import type { KnownSecrets } from './secret-filter.ts';
import { systemCollectors } from './system-collectors.ts';

/** What could not be had, and why. */
export interface CollectFailure {
  readonly source: string;
  readonly fault: Fault;
}

/** What came of one node. */
export interface NodeCollection {
  readonly node: string;
  readonly files: number;
  readonly sizeBytes: number;
  readonly failures: readonly CollectFailure[];
  /** What the node does not have at all: calls that it does not implement. */
  readonly absent: readonly string[];
}

export interface CollectNodeInit {
  readonly node: NodeClient;
  readonly archive: ArchiveWriter;
  readonly secrets: KnownSecrets;
  /** How many things a node is asked for at once. */
  readonly workers: number;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Told before each step; `total` grows while the node tells what it has. */
  readonly onProgress: (done: number, total: number, source: string) => void;
}

/** So many failures in a row that the node is not there: it is asked for nothing more. */
const maxLostInRow = 3;

/**
 * Everything about one node. A part that fails costs the others nothing.
 *
 * @throws what the archive fails with, and a Fault `cancelled` when the signal aborts
 */
export async function collectNode(init: CollectNodeInit): Promise<NodeCollection> {
  return new NodeRun(init).run();
}

class NodeRun {
  readonly #init: CollectNodeInit;
  readonly #failures: CollectFailure[] = [];
  readonly #absent: string[] = [];
  #files = 0;
  #sizeBytes = 0;
  #done = 0;
  #total = 0;
  #lostInRow = 0;

  constructor(init: CollectNodeInit) {
    this.#init = init;
  }

  async run(): Promise<NodeCollection> {
    const { node, signal, now } = this.#init;
    const found = await Promise.all([
      this.#discover('resources', resourceCollectors(node, signal)),
      this.#discover('logs', logCollectors(node, signal, now)),
      this.#discover('logs of Kubernetes', kubernetesLogCollectors(node, signal)),
    ]);
    const [resources, logs = [], kubernetesLogs = []] = found;
    const { secret = [], plain = [] } = resources ?? {};
    const first = [...['v1alpha1', 'persistent'].map(configurationCollector), ...secret];
    const rest = [...systemCollectors, eventsCollector, ...logs, ...kubernetesLogs, ...plain];
    this.#total = first.length + rest.length;
    // What is secret is known before anything else is written.
    await this.#collectAll(first);
    await this.#collectAll(rest);
    return {
      ...{ node: node.name, files: this.#files, sizeBytes: this.#sizeBytes },
      ...{ failures: this.#failures, absent: this.#absent },
    };
  }

  /** What there is to collect. A node that does not tell has nothing of it. */
  async #discover<T>(source: string, asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (error) {
      this.#note(source, faultFrom(error));
      return undefined;
    }
  }

  async #collectAll(collectors: readonly Collector[]): Promise<void> {
    const waiting = [...collectors];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (this.#lostInRow >= maxLostInRow) return;
        await this.#collect(next);
      }
    };
    await Promise.all(Array.from({ length: this.#init.workers }, work));
  }

  async #collect({ path, source = path, collect }: Collector): Promise<void> {
    const { node, archive, secrets, signal, onProgress } = this.#init;
    onProgress(this.#done, this.#total, source);
    try {
      const content = collect({ node, signal, secrets });
      const sizeBytes = await archive.add(`${archiveName(node.name)}/${path}`, content);
      this.#sizeBytes += sizeBytes;
      if (sizeBytes > 0) this.#files += 1;
      this.#lostInRow = 0;
    } catch (error) {
      if (archive.broken !== undefined) throw archive.broken.error;
      this.#note(source, faultFrom(error));
    }
    this.#done += 1;
    onProgress(this.#done, this.#total, source);
  }

  #note(source: string, fault: Fault): void {
    if (this.#init.signal.aborted) throw new Fault('cancelled', 'interrupted');
    if (fault.kind === 'unimplemented') {
      this.#absent.push(source);
      return;
    }
    this.#failures.push({ source, fault });
    this.#lostInRow = isLost(fault) ? this.#lostInRow + 1 : 0;
    if (this.#lostInRow !== maxLostInRow) return;
    // After so many losses in a row one line is reported instead of a line for each file.
    const others = this.#failures.filter((failure) => !isLost(failure.fault));
    const what = this.#files === 0 ? 'everything' : 'everything else';
    this.#failures.splice(0, this.#failures.length, ...others, { source: what, fault });
  }
}

const isLost = ({ kind }: Fault): boolean => kind === 'unavailable' || kind === 'deadline-exceeded';

import type { Timers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import type { MeetingPoint } from '../action/meeting-point.ts';
import { archiveName } from './archive-path.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { callCollector } from './call-collector.ts';
import type { CollectContext, Collector } from './collector.ts';
import { eventsCollector, kubernetesLogCollectors, logCollectors } from './log-collectors.ts';
import type { RecordedSpec } from './recorded-call.ts';
import { configurationCollector, resourceCollectors, specCollector } from './resource-collectors.ts';
import type { KnownSecrets } from './secret-filter.ts';
import { maxSilenceMs, untilSilent, withinSilence } from './silence-limit.ts';
import { systemCollectors } from './system-collectors.ts';

/** A source that could not be read, and why. */
export interface CollectFailure {
  readonly source: string;
  readonly fault: Fault;
}

/** The result for one node. */
export interface NodeCollection {
  readonly node: string;
  readonly files: number;
  readonly sizeBytes: number;
  readonly failures: readonly CollectFailure[];
  /** The calls that the node does not implement. */
  readonly absent: readonly string[];
}

export interface CollectNodeInit {
  readonly node: NodeClient;
  readonly archive: ArchiveWriter;
  readonly secrets: KnownSecrets;
  /** How many reads run on a node at once. */
  readonly workers: number;
  /** Ends the collection. What was collected until then is kept. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly timers: Timers;
  /** Where this node waits for the others; left out for one node. */
  readonly gates?: SecretGates | undefined;
  /** Called before each step; `total` grows while the node reports what it has. */
  readonly onProgress: (done: number, total: number, source: string) => void;
}

/** One participant of a meeting of all nodes. */
export type Gate = ReturnType<MeetingPoint['place']>;

/**
 * A node may have logged or stored a secret of another one. So no file is written before the configurations of all are known, and none
 * with free text before their resources are.
 */
export interface SecretGates {
  /** Passed when the configurations of all nodes were read. */
  readonly configurations: Gate;
  /** Passed when the resources of all nodes that hold secrets were read. */
  readonly resources: Gate;
}

/** After this many failures in a row the node counts as lost, and nothing more is read from it. */
const maxLostInRow = 3;

/**
 * Collects everything about one node. A failed part does not affect the others. A part that sends nothing for too long has
 * failed, and so has everything else when the signal aborts.
 *
 * @throws what the archive fails with
 */
export async function collectNode(init: CollectNodeInit): Promise<NodeCollection> {
  try {
    return await new NodeRun(init).run();
  } finally {
    init.gates?.configurations.leave();
    init.gates?.resources.leave();
  }
}

class NodeRun {
  readonly #init: CollectNodeInit;
  readonly #failures: CollectFailure[] = [];
  readonly #absent: string[] = [];
  readonly #specs: RecordedSpec[] = [];
  readonly #unlearned = new Map<Collector, Fault>();
  #files = 0;
  #sizeBytes = 0;
  #done = 0;
  #total = 0;
  #lostInRow = 0;
  #isCut = false;

  constructor(init: CollectNodeInit) {
    this.#init = init;
  }

  async run(): Promise<NodeCollection> {
    const { node, now, gates } = this.#init;
    const found = await Promise.all([
      this.#discover('resources', (signal) => resourceCollectors(node, signal)),
      this.#discover('logs', (signal) => logCollectors(node, signal, now)),
      this.#discover('logs of Kubernetes', (signal) => kubernetesLogCollectors(node, signal)),
    ]);
    const [resources, logs = [], kubernetesLogs = []] = found;
    const { sensitive = [], mixed = [], plain = [] } = resources ?? {};
    const configurations = ['v1alpha1', 'persistent'].map(configurationCollector);
    const rest = [...systemCollectors, callCollector, eventsCollector, ...logs, ...kubernetesLogs, ...plain];
    const secret = [configurations, sensitive, mixed];
    const open = [rest, [specCollector]];
    this.#total = [...secret, ...open].flat().length;
    // Secrets must be known before anything else is written.
    await Promise.all(configurations.map((collector) => this.#learn(collector)));
    await gates?.configurations.arrive();
    for (const stage of secret) await this.#collectAll(stage);
    await gates?.resources.arrive();
    for (const stage of open) await this.#collectAll(stage);
    // One line for all that was cut off or not begun.
    if (this.#isCut)
      this.#failures.push({ source: this.#rest, fault: new Fault('cancelled', 'interrupted') });
    return {
      ...{ node: node.name, files: this.#files, sizeBytes: this.#sizeBytes },
      ...{ failures: this.#failures, absent: this.#absent },
    };
  }

  /** The files to collect. A list that the node does not report counts as empty. */
  async #discover<T>(source: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { timers, signal } = this.#init;
    try {
      return await withinSilence(ask, { timers, signal, silenceMs: maxSilenceMs });
    } catch (error) {
      this.#note(source, faultFrom(error));
      return undefined;
    }
  }

  /** A failure is reported when the file itself is collected. */
  async #learn(collector: Collector): Promise<void> {
    const { timers, signal } = this.#init;
    const { learn } = collector;
    if (learn === undefined || this.#lostInRow >= maxLostInRow) return;
    try {
      const limit = { timers, signal, silenceMs: maxSilenceMs };
      await withinSilence((stop) => learn(this.#context(stop)), limit);
    } catch (error) {
      this.#unlearned.set(collector, faultFrom(error));
    }
  }

  #context(signal: AbortSignal): CollectContext {
    const { node, timers, secrets } = this.#init;
    return { node, signal, timers, secrets, specs: this.#specs };
  }

  async #collectAll(collectors: readonly Collector[]): Promise<void> {
    const waiting = [...collectors];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (this.#init.signal.aborted) this.#isCut = true;
        if (this.#lostInRow >= maxLostInRow || this.#isCut) return;
        await this.#collect(next);
      }
    };
    await Promise.all(Array.from({ length: this.#init.workers }, work));
  }

  async #collect(collector: Collector): Promise<void> {
    const { path, source = path, collect } = collector;
    const { node, archive, timers, signal, onProgress } = this.#init;
    onProgress(this.#done, this.#total, source);
    try {
      const unlearned = this.#unlearned.get(collector);
      if (unlearned !== undefined) throw unlearned;
      const content = untilSilent((stop) => collect(this.#context(stop)), {
        ...{ timers, signal, silenceMs: maxSilenceMs },
      });
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
    if (this.#init.signal.aborted) {
      this.#isCut = true;
      return;
    }
    if (fault.kind === 'unimplemented') {
      this.#absent.push(source);
      return;
    }
    this.#failures.push({ source, fault });
    this.#lostInRow = isLost(fault) ? this.#lostInRow + 1 : 0;
    if (this.#lostInRow !== maxLostInRow) return;
    // After this many losses in a row, one line is reported instead of a line per file.
    const others = this.#failures.filter((failure) => !isLost(failure.fault));
    this.#failures.splice(0, this.#failures.length, ...others, { source: this.#rest, fault });
  }

  get #rest(): string {
    const folder = `${archiveName(this.#init.node.name)}/`;
    return this.#init.archive.names.some((name) => name.startsWith(folder))
      ? 'everything else'
      : 'everything';
  }
}

const isLost = ({ kind }: Fault): boolean => kind === 'unavailable' || kind === 'deadline-exceeded';

import { Fault } from '@nodewright/fault';
import { clusterJaeger } from '@nodewright/provision/spans';
import type { TraceAnswer, TracesAnswer } from '../protocol/traces.ts';
import { JaegerSpans } from './jaeger-spans.ts';
import { KeptSpans } from './kept-spans.ts';
import { isRequest, isTraceId, type SpanSource, summarise } from './trace-source.ts';

/** Traces that the list of the page has. */
const mostListed = 300;
const mostSpans = 5000;

export interface TraceSettings {
  /** The address of a Jaeger, instead of what the cluster keeps. */
  readonly jaeger?: string | undefined;
  /** The folder of the cluster on this machine, which need not exist. */
  readonly folder?: string | undefined;
}

/** Answers what the page asks about traces. */
export class TraceCalls {
  readonly #settings: TraceSettings;
  #kept: KeptSpans | undefined;

  constructor(settings: TraceSettings) {
    this.#settings = settings;
  }

  /** @param isWhole also the work of controllers that no request caused */
  async list(isWhole: boolean, signal: AbortSignal): Promise<TracesAnswer> {
    const source = await this.#source(signal);
    if (source === undefined) return { source: 'none', traces: [] };
    const traces = [...(await source.traces(signal))].filter(([, spans]) => isWhole || isRequest(spans));
    return { source: source.kind, traces: summarise(traces, mostListed) };
  }

  /** @throws Fault `invalid-argument` for what is no id of a trace */
  async read(id: unknown, signal: AbortSignal): Promise<TraceAnswer> {
    if (typeof id !== 'string' || !isTraceId(id))
      throw new Fault('invalid-argument', 'a trace has an id of 32 hexadecimal digits');
    const source = await this.#source(signal);
    const spans = (await source?.trace(id, signal)) ?? [];
    return { spans: spans.toSorted((a, b) => a.startMs - b.startMs).slice(0, mostSpans) };
  }

  async #source(signal: AbortSignal): Promise<SpanSource | undefined> {
    const { jaeger, folder } = this.#settings;
    if (jaeger !== undefined) return new JaegerSpans(jaeger);
    if (folder === undefined) return undefined;
    this.#kept ??= new KeptSpans(folder);
    if (await this.#kept.isThere(signal)) return this.#kept;
    const own = await clusterJaeger(folder);
    return own === undefined ? undefined : new JaegerSpans(own);
  }
}

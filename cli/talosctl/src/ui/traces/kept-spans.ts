import { faultFrom } from '@nodewright/fault';
import { readSpans } from '@nodewright/provision/spans';
import { decodeOtlpSpans, type ReceivedSpan } from '@nodewright/telemetry/otlp-decode';
import type { TraceSpan } from '../protocol/traces.ts';
import { cut, cutTexts } from './cut-texts.ts';
import { isTraceId, type SpanSource } from './trace-source.ts';

/** More than the supervisor keeps. Beyond them the oldest traces go. */
const keptLimits = { spans: 100_000, characters: 64 * 1024 * 1024 } as const;
export type KeptLimits = Readonly<Record<keyof typeof keptLimits, number>>;

/** The spans that the supervisor of a cluster of processes keeps. Each reading brings what arrived since the one before. */
export class KeptSpans implements SpanSource {
  readonly kind = 'supervisor';
  readonly #folder: string;
  readonly #limits: KeptLimits;
  readonly #traces = new Map<string, { readonly spans: TraceSpan[]; characters: number }>();
  #count = 0;
  #characters = 0;
  #last = 0;
  #reading: Promise<void> | undefined;

  /** @param folder the folder of the cluster */
  constructor(folder: string, limits: KeptLimits = keptLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Whether the supervisor keeps spans. */
  async isThere(signal: AbortSignal): Promise<boolean> {
    try {
      await readSpans(this.#folder, Number.MAX_SAFE_INTEGER, signal);
      return true;
    } catch (error) {
      if (faultFrom(error).kind === 'not-found') return false;
      throw error;
    }
  }

  async traces(signal: AbortSignal): Promise<ReadonlyMap<string, readonly TraceSpan[]>> {
    await this.#read(signal);
    return new Map([...this.#traces].map(([id, { spans }]) => [id, spans]));
  }

  async trace(id: string, signal: AbortSignal): Promise<readonly TraceSpan[]> {
    await this.#read(signal);
    return this.#traces.get(id)?.spans ?? [];
  }

  /** Requests of several pages share one reading, so that no batch is taken twice. */
  #read(signal: AbortSignal): Promise<void> {
    this.#reading ??= this.#readNew(signal).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNew(signal: AbortSignal): Promise<void> {
    for (const { serial, node, bytes } of await readSpans(this.#folder, this.#last, signal)) {
      this.#last = serial;
      for (const span of decoded(bytes)) this.#add(span, node);
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    const { spans: mostSpans, characters: mostCharacters } = this.#limits;
    for (const [id, { spans, characters }] of this.#traces) {
      if (this.#count <= mostSpans && this.#characters <= mostCharacters) return;
      this.#traces.delete(id);
      this.#count -= spans.length;
      this.#characters -= characters;
    }
  }

  #add(span: ReceivedSpan, node: string): void {
    const trace = this.#traces.get(span.traceId) ?? { spans: [], characters: 0 };
    const kept = traceSpan(span, node);
    const characters = JSON.stringify(kept).length;
    trace.spans.push(kept);
    trace.characters += characters;
    this.#traces.set(span.traceId, trace);
    this.#count += 1;
    this.#characters += characters;
  }
}

/** Everybody on the machine can send something that is no export request: it is left out. */
function decoded(bytes: Buffer): readonly ReceivedSpan[] {
  try {
    return decodeOtlpSpans(bytes).filter(
      ({ traceId, spanId, parentSpanId }) =>
        isTraceId(traceId) && /^[0-9a-f]{16}$/.test(spanId) && parentSpanId.length <= 16,
    );
  } catch {
    return [];
  }
}

function traceSpan(span: ReceivedSpan, node: string): TraceSpan {
  const { spanId, parentSpanId, service, name, startNs, endNs, failed, message, attributes } = span;
  return {
    ...{ id: spanId, parent: parentSpanId, service: cut(service), node, name: cut(name) },
    attributes: cutTexts(attributes),
    startMs: Number(startNs / 1000n) / 1000,
    durationMs: Math.max(0, Number(endNs - startNs) / 1e6),
    ...{ hasFailed: failed, message: cut(message) },
  };
}

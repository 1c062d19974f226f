import { faultFrom } from '@nodewright/fault';
import { readSpans } from '@nodewright/provision/spans';
import { decodeOtlpSpans, type ReceivedSpan } from '@nodewright/telemetry/otlp-decode';
import type { TraceSpan } from '../protocol/traces.ts';
import type { SpanSource } from './trace-source.ts';

/** More than the supervisor keeps. Beyond it the oldest traces go. */
const mostSpans = 100_000;
const longestText = 2000;

/** The spans that the supervisor of a cluster of processes keeps. Each reading brings what arrived since the one before. */
export class KeptSpans implements SpanSource {
  readonly kind = 'supervisor';
  readonly #folder: string;
  readonly #traces = new Map<string, TraceSpan[]>();
  #count = 0;
  #last = 0;
  #reading: Promise<void> | undefined;

  /** @param folder the folder of the cluster */
  constructor(folder: string) {
    this.#folder = folder;
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
    return this.#traces;
  }

  async trace(id: string, signal: AbortSignal): Promise<readonly TraceSpan[]> {
    await this.#read(signal);
    return this.#traces.get(id) ?? [];
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
    }
    for (const [id, spans] of this.#traces) {
      if (this.#count <= mostSpans) return;
      this.#traces.delete(id);
      this.#count -= spans.length;
    }
  }

  #add(span: ReceivedSpan, node: string): void {
    const spans = this.#traces.get(span.traceId) ?? [];
    spans.push(traceSpan(span, node));
    this.#traces.set(span.traceId, spans);
    this.#count += 1;
  }
}

/** Everybody on the machine can send something that is no export request: it is left out. */
function decoded(bytes: Buffer): readonly ReceivedSpan[] {
  try {
    return decodeOtlpSpans(bytes).filter(({ traceId }) => /^[0-9a-f]{32}$/.test(traceId));
  } catch {
    return [];
  }
}

function traceSpan(span: ReceivedSpan, node: string): TraceSpan {
  const { spanId, parentSpanId, service, name, startNs, endNs, failed, message, attributes } = span;
  return {
    ...{ id: spanId, parent: parentSpanId, service, node, name: cut(name), attributes: cutTexts(attributes) },
    startMs: Number(startNs / 1000n) / 1000,
    durationMs: Math.max(0, Number(endNs - startNs) / 1e6),
    ...{ hasFailed: failed, message: cut(message) },
  };
}

const cut = (text: string) => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

export function cutTexts(attributes: TraceSpan['attributes']): TraceSpan['attributes'] {
  return Object.fromEntries(
    Object.entries(attributes)
      .slice(0, 100)
      .map(([key, value]) => [cut(key), typeof value === 'string' ? cut(value) : value]),
  );
}

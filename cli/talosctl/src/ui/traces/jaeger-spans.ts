import { Fault } from '@nodewright/fault';
import type { TraceSpan } from '../protocol/traces.ts';
import { cutTexts } from './kept-spans.ts';
import type { SpanSource } from './trace-source.ts';

/** The programs whose traces are asked for. */
const services = ['machined', 'apid', 'trustd', 'talosctl', 'registryd', 'udevd-bridge'] as const;
const tracesPerService = 50;
const mostBytes = 32 * 1024 * 1024;

interface JaegerTag {
  readonly key: string;
  readonly value: string | number | boolean;
}

interface JaegerSpan {
  readonly spanID: string;
  readonly processID: string;
  readonly operationName: string;
  /** Microseconds since 1970. */
  readonly startTime: number;
  readonly duration: number;
  readonly references?: readonly { readonly refType: string; readonly spanID: string }[];
  readonly tags?: readonly JaegerTag[];
}

interface JaegerTrace {
  readonly traceID: string;
  readonly spans: readonly JaegerSpan[];
  readonly processes: Readonly<
    Record<string, { readonly serviceName: string; readonly tags?: readonly JaegerTag[] }>
  >;
}

/** Traces of a Jaeger, through the API of its own page. Source: Jaeger, HTTP JSON of the query service. */
export class JaegerSpans implements SpanSource {
  readonly kind = 'jaeger';
  readonly #base: string;

  /** @param base such as `http://127.0.0.1:16686` */
  constructor(base: string) {
    this.#base = base.replace(/\/+$/, '');
  }

  async traces(signal: AbortSignal): Promise<ReadonlyMap<string, readonly TraceSpan[]>> {
    const found = await Promise.all(
      services.map((service) => this.#ask(`traces?service=${service}&limit=${tracesPerService}`, signal)),
    );
    return new Map(found.flat().map((trace) => [trace.traceID, spansOf(trace)]));
  }

  async trace(id: string, signal: AbortSignal): Promise<readonly TraceSpan[]> {
    return (await this.#ask(`traces/${encodeURIComponent(id)}`, signal)).flatMap(spansOf);
  }

  async #ask(path: string, signal: AbortSignal): Promise<readonly JaegerTrace[]> {
    const where = `${this.#base}/api/${path}`;
    let response: Response;
    try {
      response = await fetch(where, { signal, redirect: 'error' });
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      throw new Fault('unavailable', `Jaeger does not answer at ${this.#base}: ${reason}`, { cause: error });
    }
    // A trace that it does not have, or that has not arrived yet.
    if (response.status === 404) return [];
    const text = await readText(response);
    if (!response.ok) throw new Fault('unavailable', `Jaeger answers ${response.status} to ${where}`);
    return tracesIn(text, where);
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Fault('resource-exhausted', 'Jaeger sends more than 32 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tracesIn(text: string, where: string): readonly JaegerTrace[] {
  try {
    const { data } = JSON.parse(text) as { data?: readonly JaegerTrace[] | null };
    return (data ?? []).filter(({ traceID, spans }) => typeof traceID === 'string' && Array.isArray(spans));
  } catch (error) {
    throw new Fault('unavailable', `this is no Jaeger: ${where} does not answer with its JSON`, {
      cause: error,
    });
  }
}

function spansOf({ spans, processes }: JaegerTrace): TraceSpan[] {
  return spans.map(
    ({ spanID, processID, operationName, startTime, duration, references = [], tags = [] }) => {
      const { serviceName = '', tags: own = [] } = processes[processID] ?? {};
      const find = (list: readonly JaegerTag[], key: string) => list.find((tag) => tag.key === key)?.value;
      return {
        ...{ id: spanID, service: serviceName, name: operationName },
        node: String(find(own, 'host.name') ?? ''),
        parent: references.find(({ refType }) => refType === 'CHILD_OF')?.spanID ?? '',
        ...{ startMs: startTime / 1000, durationMs: duration / 1000 },
        hasFailed: find(tags, 'error') === true || find(tags, 'otel.status_code') === 'ERROR',
        message: String(find(tags, 'otel.status_description') ?? ''),
        attributes: cutTexts(Object.fromEntries(tags.map(({ key, value }) => [key, value]))),
      };
    },
  );
}

import { Fault } from '@nodewright/fault';
import { type Fields, fieldsOf, listOf } from '../domain/read-fields.ts';
import type { TraceSpan } from '../protocol/traces.ts';
import { cut, cutTexts } from './cut-texts.ts';
import { isTraceId, type SpanSource } from './trace-source.ts';

/** The programs whose traces are asked for. */
const services = ['machined', 'apid', 'trustd', 'talosctl', 'registryd', 'udevd-bridge'] as const;
const tracesPerService = 50;
/** Of one answer. */
const mostBytes = 32 * 1024 * 1024;

/** What Jaeger sends. Whatever answers at its address may send anything, so each field is checked where it is read. */
interface JaegerTrace {
  readonly traceID: string;
  readonly spans: readonly unknown[];
  readonly processes: Fields;
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
    const { data } = JSON.parse(text) as { data?: unknown };
    return listOf(data).flatMap(({ traceID, spans, processes }) =>
      typeof traceID === 'string' && isTraceId(traceID) && Array.isArray(spans)
        ? { traceID, spans, processes: fieldsOf(processes) }
        : [],
    );
  } catch (error) {
    throw new Fault('unavailable', `this is no Jaeger: ${where} does not answer with its JSON`, {
      cause: error,
    });
  }
}

function spansOf({ spans, processes }: JaegerTrace): TraceSpan[] {
  return listOf(spans).map((span) => {
    const { references, tags, processID, startTime, duration } = span;
    const service = fieldsOf(Object.hasOwn(processes, textOf(processID)) ? processes[textOf(processID)] : {});
    const own = tagsOf(service.tags);
    const all = tagsOf(tags);
    const parent = listOf(references).find(({ refType }) => refType === 'CHILD_OF');
    return {
      ...{ id: textOf(span.spanID), service: textOf(service.serviceName), name: textOf(span.operationName) },
      node: textOf(own['host.name']),
      parent: textOf(parent?.spanID),
      ...{ startMs: numberOf(startTime) / 1000, durationMs: numberOf(duration) / 1000 },
      hasFailed: all.error === true || all['otel.status_code'] === 'ERROR',
      message: textOf(all['otel.status_description']),
      attributes: cutTexts(all),
    };
  });
}

function tagsOf(tags: unknown): TraceSpan['attributes'] {
  return Object.fromEntries(
    listOf(tags).flatMap(({ key, value }) =>
      typeof key === 'string' && ['string', 'number', 'boolean'].includes(typeof value)
        ? [[key, value as string | number | boolean]]
        : [],
    ),
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? cut(value) : '');
const numberOf = (value: unknown) => (typeof value === 'number' ? Math.max(0, value) : 0);

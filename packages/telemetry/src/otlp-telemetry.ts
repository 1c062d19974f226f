import type { Span as OtelSpan } from '@opentelemetry/api';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { AttributeName } from './attribute-names.ts';
import { refusesConnections, traceEndpoint } from './collector.ts';
import { errorTypeOf } from './rpc-attributes.ts';
import { createSampler } from './sampler.ts';
import type { Attributes, Span, SpanOptions } from './span.ts';
import { SpanScope } from './span-scope.ts';
import type { Telemetry } from './telemetry.ts';
import type { TelemetryInit } from './telemetry-init.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/**
 * How long spans are batched before they are sent, in milliseconds. Short, so that a trace is visible soon.
 */
const exportDelayMs = 1000;
/** How long the last export may take when the process ends, in milliseconds. */
const flushTimeoutMs = 2000;
/**
 * How long the look at the collector may take before the last export, in milliseconds. The exporter repeats what was refused until
 * `flushTimeoutMs` is over, for each command of a person who has stopped the collector.
 */
const lookTimeoutMs = 200;

/**
 * The certificate authorities that a collector with TLS may have, unless the environment names others. apid and
 * trustd run without any, because their other connections name their own.
 */
function trustPublicAuthorities(): void {
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls');
  setDefaultCACertificates([...getCACertificates('bundled'), ...getCACertificates('extra')]);
}

const isTls = (environment: TelemetryInit['environment']) =>
  [environment.OTEL_EXPORTER_OTLP_ENDPOINT, environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some(
    (endpoint) => endpoint?.startsWith('https:') === true,
  );

class RecordingSpan implements Span {
  readonly #span: OtelSpan;
  readonly traceparent: string;
  readonly traceId: string;
  readonly spanId: string;

  constructor(span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.#span = span;
    this.traceId = traceId;
    this.spanId = spanId;
    this.traceparent = formatTraceparent({ traceId, spanId, flags: traceFlags });
  }

  setAttributes(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  addEvent(name: string, attributes?: Attributes): void {
    this.#span.addEvent(name, attributes);
  }

  fail(error: unknown, type: string = errorTypeOf(error)): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#span.setAttribute('error.type' satisfies AttributeName, type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  end(): void {
    this.#span.end();
  }
}

function contextFromTraceparent(traceparent: string | undefined): Context {
  const parent = parseTraceparent(traceparent);
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true });
}

function linksFrom(traceparents: readonly string[]) {
  return traceparents.flatMap((value) => {
    const parent = parseTraceparent(value);
    if (parent === undefined) return [];
    const { traceId, spanId, flags } = parent;
    return [{ context: { traceId, spanId, traceFlags: flags } }];
  });
}

function startSpan(tracer: Tracer, scope: SpanScope, name: string, options: SpanOptions): Span {
  const parent = options.parent ?? scope.current()?.traceparent;
  const span = tracer.startSpan(
    name,
    {
      kind: kinds[options.kind ?? 'internal'],
      attributes: options.attributes,
      links: options.links === undefined ? undefined : linksFrom(options.links),
    },
    contextFromTraceparent(parent),
  );
  return new RecordingSpan(span);
}

/**
 * Telemetry that exports over OTLP (HTTP, protobuf). The endpoint, headers and time-outs come from the
 * standard `OTEL_EXPORTER_OTLP_*` variables, the sampler from `OTEL_TRACES_SAMPLER`, and further attributes of
 * the resource from `OTEL_RESOURCE_ATTRIBUTES`. Disposing it flushes the queue, for at most two seconds; a hung collector never
 * keeps a process from ending, and one that refuses connections is not waited for.
 */
export function createOtlpTelemetry({
  serviceName,
  serviceVersion,
  environment,
  onRefused,
}: TelemetryInit): Telemetry {
  if (isTls(environment)) trustPublicAuthorities();
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(),
    scheduledDelayMillis: exportDelayMs,
  });
  const own: Attributes = { 'service.name': serviceName, 'service.version': serviceVersion };
  const provider = new TracerProvider({
    // Of an attribute in several, the last one counts: the environment may name the instance, not the service.
    resource: defaultResource()
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }))
      .merge(resourceFromAttributes(own)),
    sampler: createSampler(environment),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('nodewright', serviceVersion);
  const scope = new SpanScope();

  return {
    enabled: true,
    startSpan: (name, options = {}) => startSpan(tracer, scope, name, options),
    withSpan: (span, body) => scope.run(span, body),
    withSpanUntilSettled: (span, body) => scope.runUntilSettled(span, body),
    activeSpan: () => scope.current(),
    async [Symbol.asyncDispose]() {
      const collector = traceEndpoint(environment);
      if (collector !== undefined && (await refusesConnections(collector, lookTimeoutMs))) {
        onRefused?.(collector.origin);
        return;
      }
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, flushTimeoutMs).unref());
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
    },
  };
}

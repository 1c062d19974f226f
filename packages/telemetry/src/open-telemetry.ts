import { createNoTelemetry } from './no-telemetry.ts';
import type { Telemetry } from './telemetry.ts';
import type { TelemetryInit } from './telemetry-init.ts';

/** Whether the `OTEL_*` environment enables export. Nothing is exported without an endpoint. */
export function isExportConfigured(environment: TelemetryInit['environment']): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (environment.OTEL_TRACES_EXPORTER === 'none') return false;
  return [environment.OTEL_EXPORTER_OTLP_ENDPOINT, environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some(
    (endpoint) => endpoint !== undefined && endpoint !== '',
  );
}

/**
 * Tracing as configured by the standard `OTEL_*` environment. The OpenTelemetry SDK is loaded only when
 * export is enabled: it costs 40 ms and 7 MB.
 */
export async function openTelemetry(init: TelemetryInit): Promise<Telemetry> {
  if (!isExportConfigured(init.environment)) return createNoTelemetry();
  const { createOtlpTelemetry } = await import('./otlp-telemetry.ts');
  return createOtlpTelemetry({
    ...init,
    serviceName: init.environment.OTEL_SERVICE_NAME ?? init.serviceName,
  });
}

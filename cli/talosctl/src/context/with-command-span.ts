import type { CliEnvironment } from './command-module.ts';

/** Whether the environment names a destination for traces. Checked before the telemetry package is loaded. */
export function isTracingConfigured(environment: Readonly<NodeJS.ProcessEnv>): boolean {
  return Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/**
 * Runs a command in a trace span `talosctl <command>`. It is the root of a trace, or part of the trace in `TRACEPARENT`
 * if that variable is set.
 */
export async function withCommandSpan<T>(
  command: string,
  env: CliEnvironment,
  body: () => Promise<T>,
): Promise<T> {
  if (!isTracingConfigured(env.environment)) return body();
  const telemetry = await env.telemetry();
  const span = telemetry.startSpan(`talosctl ${command}`, { parent: env.environment.TRACEPARENT });
  try {
    return await telemetry.withSpan(span, body);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

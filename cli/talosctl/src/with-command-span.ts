import type { CliEnvironment } from './command-module.ts';

/** Whether the environment names a place to send traces to. Asked before anything of telemetry is loaded. */
export function isTracingConfigured(environment: Readonly<NodeJS.ProcessEnv>): boolean {
  return Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/**
 * Runs a command as the root of a trace, `talosctl <command>`. Continues the trace of `TRACEPARENT` when whoever
 * started the process set it.
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

import type { SpanOptions, Telemetry } from '@nodewright/telemetry';

/** Runs `work` in a new trace span and records its failure in the span. */
export async function inSpan<T>(
  telemetry: Telemetry,
  name: string,
  work: () => Promise<T>,
  options: SpanOptions = {},
): Promise<T> {
  const span = telemetry.startSpan(name, options);
  try {
    return await telemetry.withSpan(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

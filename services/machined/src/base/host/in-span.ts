import type { SpanOptions, Telemetry } from '@nodewright/telemetry';

/** Does `work` in a span of its own. */
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

import type { Attributes, Telemetry } from '@nodewright/telemetry';

/** Does `work` in a span of its own. */
export async function inSpan<T>(
  telemetry: Telemetry,
  name: string,
  work: () => Promise<T>,
  attributes: Attributes = {},
): Promise<T> {
  const span = telemetry.startSpan(name, { attributes });
  try {
    return await telemetry.withSpan(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

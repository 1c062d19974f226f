import type { Span, Telemetry } from '@nodewright/telemetry';

/**
 * Drives a generator with `span` active in each of its steps. A generator continues in the context of whoever asks
 * for the next value, so one activation around the whole of it would not hold.
 */
export async function* iterateInSpan<Value, Result>(
  telemetry: Telemetry,
  span: Span,
  generator: AsyncGenerator<Value, Result, undefined>,
): AsyncGenerator<Value, Result, undefined> {
  const step = () => telemetry.withSpan(span, () => generator.next());
  let finished = false;
  try {
    let result = await step();
    while (result.done !== true) {
      yield result.value;
      result = await step();
    }
    finished = true;
    return result.value;
  } finally {
    // Left early: let the generator close what it has open.
    if (!finished) await generator.return(undefined as never);
  }
}

import type { Span, Telemetry } from '@nodewright/telemetry';

/**
 * Drives a generator with `span` active in each of its steps. A generator runs in the context of the caller
 * of `next`, so activating the span once around the whole loop would have no effect.
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
    // The consumer left early: let the generator release its resources.
    if (!finished) await generator.return(undefined as never);
  }
}

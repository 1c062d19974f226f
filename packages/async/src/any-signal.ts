/** A signal that aborts as soon as one of `signals` does, with its reason; `undefined` stands for no signal. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

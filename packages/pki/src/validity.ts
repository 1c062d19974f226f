const hourMs = 3_600_000;

/**
 * How long before its issue a certificate begins. Nodes accept a clock that is wrong by less than 15 minutes, so two of
 * them are at most half an hour apart.
 */
export const backdatingMs = 30 * 60_000;

/**
 * The times of a certificate that is issued now. It ends `lifetimeHours` after its issue, and begins earlier than that:
 * otherwise a peer whose clock is slow would reject it as not yet valid.
 */
export function validityFrom(
  nowMs: number,
  lifetimeHours: number,
): { readonly notBefore: Date; readonly lifetimeHours: number } {
  return {
    notBefore: new Date(nowMs - backdatingMs),
    lifetimeHours: lifetimeHours + backdatingMs / hourMs,
  };
}

const whatFor = 'this worker waits for its certificate from trustd of a control plane';

/** Longest failure in a text that strangers get, in characters. */
const maxFailureLength = 400;

/**
 * What callers without a certificate are told while a worker waits for its certificate.
 *
 * @param failure why the last request failed; undefined before the first failure
 */
export function waitText(failure: string | undefined): string {
  if (failure === undefined) return whatFor;
  return `${whatFor}: ${failure.length > maxFailureLength ? `${failure.slice(0, maxFailureLength)}…` : failure}`;
}

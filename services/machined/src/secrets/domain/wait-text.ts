const whatFor = 'this worker waits for its certificate from trustd of a control plane';

/** Longest failure in a text that strangers get, in characters. */
const maxFailureLength = 400;

const emptyNote = 'Resolution note:';

/**
 * What callers without a certificate are told while a worker waits for its certificate.
 *
 * @param failure why the last request failed; undefined before the first failure
 */
export function waitText(failure: string | undefined): string {
  if (failure === undefined) return whatFor;
  const trimmed = failure.trim();
  // The gRPC library ends some of its texts with the title of a note that it does not have.
  const text = trimmed.endsWith(emptyNote) ? trimmed.slice(0, -emptyNote.length).trim() : trimmed;
  return `${whatFor}: ${text.length > maxFailureLength ? `${text.slice(0, maxFailureLength)}…` : text}`;
}

import { Server, type StatusObject, status } from '@grpc/grpc-js';

/**
 * The error for a call of an unknown method, with the text that clients of this protocol know.
 *
 * @param path `/package.Service/Method`, as it came
 * @param known paths of the existing methods
 */
export function unknownMethodText(path: string, known: Iterable<string>): string {
  const [, service, method] = /^\/?(.+)\/([^/]*)$/.exec(path) ?? [];
  if (service === undefined) return `malformed method name: ${JSON.stringify(path)}`;
  for (const other of known) {
    if (other.startsWith(`/${service}/`)) return `unknown method ${method} for service ${service}`;
  }
  return `unknown service ${service}`;
}

interface ServerInternals {
  readonly handlers: ReadonlyMap<string, unknown>;
  _respondWithError(error: Partial<StatusObject>, ...rest: unknown[]): void;
}

const libraryText = /^The server does not implement the method (.*)$/s;
let isDone = false;

/**
 * Makes every server of this process use those texts. The library has no hook for calls without a handler, so
 * its function that answers them is wrapped. If that function does not exist, the library's own texts remain.
 */
export function nameUnknownMethods(): void {
  if (isDone) return;
  isDone = true;
  const internals = Server.prototype as unknown as ServerInternals;
  const respondWithError = internals._respondWithError;
  if (typeof respondWithError !== 'function') return;
  internals._respondWithError = function (this: ServerInternals, error, ...rest) {
    const path = error.code === status.UNIMPLEMENTED ? libraryText.exec(error.details ?? '')?.[1] : undefined;
    const details =
      path === undefined ? error.details : encodeURI(unknownMethodText(path, this.handlers.keys()));
    respondWithError.call(this, { ...error, details }, ...rest);
  };
}

import { filterHeaders, type RawHeaders } from './raw-headers.ts';

/** Fields that belong to one connection, or that the writer of a message sets itself. Source: RFC 9113, 8.2.2. */
const hopFields: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'content-length',
  'te',
  'trailer',
]);

/** Headers of a backend's answer as they may go on to the client: `:status` and everything that is not of the hop. */
export function answerFields(headers: RawHeaders): string[] {
  return filterHeaders(headers, (name) => (name.startsWith(':') ? name === ':status' : !hopFields.has(name)));
}

/** Trailers of a backend's answer as they may go on to the client. */
export function trailerFields(trailers: RawHeaders): string[] {
  return filterHeaders(trailers, (name) => !name.startsWith(':') && !hopFields.has(name));
}

import { filterHeaders } from './raw-headers.ts';
import { rewriteOnce } from './repeated-headers.ts';

/** Fields that belong to one connection, or that each sender sets itself. Source: RFC 9113, 8.2.2. */
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

/**
 * The response headers of a backend that are forwarded to the client: `:status` and all fields not limited to
 * one hop.
 */
export const answerFields = rewriteOnce((headers) =>
  filterHeaders(headers, (name) => (name.startsWith(':') ? name === ':status' : !hopFields.has(name))),
);

/** The response trailers of a backend that are forwarded to the client. */
export const trailerFields = rewriteOnce((trailers) =>
  filterHeaders(trailers, (name) => !name.startsWith(':') && !hopFields.has(name)),
);

import type { HeaderBlock } from './hpack/header-block.ts';

/** What a server needs of a request's header block. */
export interface RequestHead {
  /** Why the request is malformed; empty when it is not. */
  readonly error: string;
  readonly method: string;
  readonly path: string;
  readonly authority: string;
  /** Size of the body in bytes; -1 when it is not given. */
  readonly contentLength: number;
}

/** What a client needs of a response's header block. */
export interface ResponseHead {
  readonly error: string;
  readonly status: number;
  readonly contentLength: number;
}

/** Characters of field names: tokens of HTTP without capitals. Source: RFC 9110, 5.6.2; RFC 9113, 8.2.1. */
const nameCharacters = tableOf(/[!#$%&'*+\-.^_`|~0-9a-z]/);
const forbiddenInValue = /[\0\r\n]/;
const methodPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const schemePattern = /^[A-Za-z][A-Za-z0-9+\-.]*$/;
/** No blanks and no control characters. */
const visiblePattern = /^[\x21-\x7e\x80-\xff]*$/;
const statusPattern = /^[1-9][0-9][0-9]$/;
const lengthPattern = /^[0-9]{1,15}$/;

/** Fields that only connections of HTTP/1 have. Source: RFC 9113, section 8.2.2. */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

const noRequest = { method: '', path: '', authority: '', contentLength: -1 };

/** Checks a block as a request. Source: RFC 9113, sections 8.2 and 8.3.1. */
export function requestHead(block: HeaderBlock): RequestHead {
  block.request ??= readRequest(block.fields);
  return block.request;
}

/** Checks a block as a response. Source: RFC 9113, sections 8.2 and 8.3.2. */
export function responseHead(block: HeaderBlock): ResponseHead {
  block.response ??= readResponse(block.fields);
  return block.response;
}

/** Why a block is malformed as trailers; empty when it is not. Source: RFC 9113, section 8.1. */
export function trailersError(block: HeaderBlock): string {
  block.trailersError ??= readTrailers(block.fields);
  return block.trailersError;
}

function readRequest(fields: readonly string[]): RequestHead {
  const pseudo: Record<string, string | undefined> = {};
  let contentLength = -1;
  let at = 0;
  for (; at < fields.length && isPseudo(fields[at] as string); at += 2) {
    const name = fields[at] as string;
    const isKnown = name === ':method' || name === ':scheme' || name === ':path' || name === ':authority';
    if (!isKnown) return { error: 'it has an unknown pseudo-header field', ...noRequest };
    if (pseudo[name] !== undefined) return { error: `it repeats ${name}`, ...noRequest };
    pseudo[name] = fields[at + 1] as string;
  }
  for (; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    const error =
      fieldError(name, value) || (name === 'te' && value !== 'trailers' ? 'its te is not trailers' : '');
    if (error !== '') return { error, ...noRequest };
    if (name !== 'content-length') continue;
    if (!lengthPattern.test(value) || contentLength >= 0) {
      return { error: 'its content-length is not a number', ...noRequest };
    }
    contentLength = Number(value);
  }
  const {
    ':method': method = '',
    ':scheme': scheme,
    ':path': path = '',
    ':authority': authority = '',
  } = pseudo;
  const error = pseudoError(method, scheme, pseudo[':path'], authority);
  return { error, method, path, authority, contentLength };
}

function pseudoError(
  method: string,
  scheme: string | undefined,
  path: string | undefined,
  authority: string,
) {
  if (!methodPattern.test(method)) return 'it has no valid :method';
  if (!visiblePattern.test(authority)) return 'its :authority has invalid characters';
  if (method === 'CONNECT') {
    return scheme === undefined && path === undefined && authority !== '' ? '' : 'its CONNECT is not valid';
  }
  if (scheme === undefined || !schemePattern.test(scheme)) return 'it has no valid :scheme';
  if (path === undefined || !visiblePattern.test(path)) return 'it has no valid :path';
  return path.startsWith('/') || (path === '*' && method === 'OPTIONS')
    ? ''
    : 'its :path does not begin with /';
}

function readResponse(fields: readonly string[]): ResponseHead {
  const status = fields[1] ?? '';
  if (fields[0] !== ':status' || !statusPattern.test(status)) {
    return { error: 'it has no valid :status', status: 0, contentLength: -1 };
  }
  let contentLength = -1;
  for (let at = 2; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    const error = fieldError(name, value);
    if (error !== '') return { error, status: 0, contentLength: -1 };
    if (name !== 'content-length') continue;
    if (!lengthPattern.test(value))
      return { error: 'its content-length is not a number', status: 0, contentLength };
    contentLength = Number(value);
  }
  return { error: '', status: Number(status), contentLength };
}

function readTrailers(fields: readonly string[]): string {
  for (let at = 0; at < fields.length; at += 2) {
    const error = fieldError(fields[at] as string, fields[at + 1] as string);
    if (error !== '') return error;
  }
  return '';
}

function isPseudo(name: string): boolean {
  return name.charCodeAt(0) === 0x3a;
}

/**
 * Why a regular field is malformed; empty when it is not. Blanks around a value are allowed, although RFC 9113
 * forbids them: without them apid would serve a call for the node ` node02` itself.
 */
function fieldError(name: string, value: string): string {
  if (isPseudo(name)) return 'a pseudo-header field follows a regular field';
  if (name.length === 0) return 'a field has no name';
  for (let at = 0; at < name.length; at += 1) {
    if (nameCharacters[name.charCodeAt(at)] === 0) return 'the name of a field has invalid characters';
  }
  if (forbiddenInValue.test(value)) return 'the value of a field has invalid characters';
  return connectionFields.has(name) ? `it has the field ${name}` : '';
}

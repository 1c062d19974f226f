import { grpcCodeFromKind } from '@nodewright/fault';
import { h2ErrorCodes } from './error-codes.ts';
import { headerValue, type RawHeaders } from './raw-headers.ts';

/** How a call ended: a gRPC status code, 0 for success, and its text. */
export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
}

/**
 * Percent-encodes the bytes that a header value must not contain, and a space at its ends, for which clients drop the whole value.
 * Sources: gRPC over HTTP/2, Status-Message; RFC 9113, section 8.2.1.
 */
export function encodeGrpcMessage(message: string): string {
  if (/^(?! )[ -$&-~]*$/.test(message) && !message.endsWith(' ')) return message;
  let encoded = '';
  const bytes = Buffer.from(message, 'utf8');
  for (const [index, byte] of bytes.entries()) {
    const isInside = index > 0 && index < bytes.length - 1;
    const plain = byte >= (isInside ? 0x20 : 0x21) && byte <= 0x7e && byte !== 0x25;
    encoded += plain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/**
 * Decodes a percent-encoded status text. Invalid escapes are kept as they are, as the specification requires.
 */
export function decodeGrpcMessage(value: string): string {
  if (/^[ -$&-~]*$/.test(value)) return value;
  const bytes = Buffer.alloc(value.length);
  let length = 0;
  for (let at = 0; at < value.length; at += 1) {
    const escaped = value[at] === '%' ? /^[0-9A-Fa-f]{2}$/.exec(value.slice(at + 1, at + 3)) : null;
    bytes[length] = escaped === null ? value.charCodeAt(at) : Number.parseInt(escaped[0], 16);
    if (escaped !== null) at += 2;
    length += 1;
  }
  return bytes.toString('utf8', 0, length);
}

/** Builds the trailer fields of a status. */
export function statusTrailers({ code, message }: GrpcStatus): string[] {
  const trailers = ['grpc-status', String(code)];
  if (message !== '') trailers.push('grpc-message', encodeGrpcMessage(message));
  return trailers;
}

/**
 * Reads the status from trailers, or from the headers of a trailers-only response; `undefined` when there is
 * none.
 */
export function statusFromHeaders(headers: RawHeaders): GrpcStatus | undefined {
  const code = headerValue(headers, 'grpc-status');
  if (code === undefined) return undefined;
  const message = headerValue(headers, 'grpc-message');
  return {
    // A code that is not a number is `unknown`, not success.
    code: /^\d{1,9}$/.test(code) ? Number(code) : grpcCodeFromKind('unknown'),
    message: message === undefined ? '' : decodeGrpcMessage(message),
  };
}

/** gRPC status code for an RST_STREAM code. Source: gRPC over HTTP/2, HTTP2 Transport Mapping, Errors. */
export function grpcCodeFromH2Error(code: number): number {
  switch (code) {
    case h2ErrorCodes.noError:
    case h2ErrorCodes.protocolError:
    case h2ErrorCodes.internalError:
    case h2ErrorCodes.flowControlError:
    case h2ErrorCodes.settingsTimeout:
    case h2ErrorCodes.frameSizeError:
    case h2ErrorCodes.compressionError:
    case h2ErrorCodes.connectError:
      return grpcCodeFromKind('internal');
    case h2ErrorCodes.refusedStream:
      return grpcCodeFromKind('unavailable');
    case h2ErrorCodes.cancel:
      return grpcCodeFromKind('cancelled');
    case h2ErrorCodes.enhanceYourCalm:
      return grpcCodeFromKind('resource-exhausted');
    case h2ErrorCodes.inadequateSecurity:
      return grpcCodeFromKind('permission-denied');
    default:
      return grpcCodeFromKind('unknown');
  }
}

/**
 * gRPC status code for the HTTP status of a peer that does not speak gRPC. Source: gRPC, HTTP to gRPC status
 * mapping.
 */
export function grpcCodeFromHttpStatus(status: number): number {
  switch (status) {
    case 400:
      return grpcCodeFromKind('internal');
    case 401:
      return grpcCodeFromKind('unauthenticated');
    case 403:
      return grpcCodeFromKind('permission-denied');
    case 404:
      return grpcCodeFromKind('unimplemented');
    case 429:
    case 502:
    case 503:
    case 504:
      return grpcCodeFromKind('unavailable');
    default:
      return grpcCodeFromKind('unknown');
  }
}

/**
 * Accepts `application/grpc`, `application/grpc+proto`, `application/grpc;charset=x` and the like, but no
 * other type.
 */
export function isGrpcContentType(value: string | undefined): boolean {
  return value !== undefined && /^application\/grpc(?:[+;]|$)/i.test(value);
}

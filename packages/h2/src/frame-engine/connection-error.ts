import { h2ErrorCodes } from '../error-codes.ts';

/**
 * The peer violated HTTP/2 so that the connection must end. The reading code throws it, and the connection
 * catches it in one place and sends GOAWAY. Source: RFC 9113, section 5.4.1.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The HTTP/2 error code for the GOAWAY. */
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

export function protocolError(reason: string): ConnectionError {
  return new ConnectionError(h2ErrorCodes.protocolError, reason);
}

export function frameSizeError(reason: string): ConnectionError {
  return new ConnectionError(h2ErrorCodes.frameSizeError, reason);
}

export function flowControlError(reason: string): ConnectionError {
  return new ConnectionError(h2ErrorCodes.flowControlError, reason);
}

export function compressionError(reason: string): ConnectionError {
  return new ConnectionError(h2ErrorCodes.compressionError, reason);
}

export function enhanceYourCalm(reason: string): ConnectionError {
  return new ConnectionError(h2ErrorCodes.enhanceYourCalm, reason);
}

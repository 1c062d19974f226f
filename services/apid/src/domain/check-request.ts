import type { FaultKind } from '@nodewright/fault';

/** Why a request is not a gRPC call, with the HTTP status of the response. */
export interface RequestFault {
  readonly httpStatus: number;
  readonly fault: FaultKind;
  readonly message: string;
}

/**
 * Checks the parts that every gRPC request has, before anything else. Source: gRPC over HTTP/2,
 * Request-Headers.
 */
export function checkRequest(
  method: string,
  path: string,
  contentType: string | undefined,
  isGrpcContentType: boolean,
): RequestFault | undefined {
  if (method !== 'POST') {
    return { httpStatus: 405, fault: 'internal', message: `gRPC calls use POST, not ${method}` };
  }
  if (!isGrpcContentType) {
    const found = contentType === undefined ? 'but it is missing' : `not ${JSON.stringify(contentType)}`;
    return {
      httpStatus: 415,
      fault: 'invalid-argument',
      message: `content-type must be application/grpc, ${found}`,
    };
  }
  // The method is the part after the last slash. Service names are not checked.
  if (!/^\/[^/].*\/[^/]+$/.test(path)) {
    return {
      httpStatus: 200,
      fault: 'unimplemented',
      message: `malformed method name: ${JSON.stringify(path)}`,
    };
  }
  return undefined;
}

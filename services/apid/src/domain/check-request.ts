import type { FaultKind } from '@nodewright/fault';

/** Why a request is not a gRPC call, with the HTTP status that says so too. */
export interface RequestFault {
  readonly httpStatus: number;
  readonly fault: FaultKind;
  readonly message: string;
}

/** Looks at what every gRPC request has, before anything else is done with it. Source: gRPC over HTTP/2, Request-Headers. */
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
    const found = contentType === undefined ? 'there is none' : `it is ${JSON.stringify(contentType)}`;
    return {
      httpStatus: 415,
      fault: 'invalid-argument',
      message: `content-type must be application/grpc, ${found}`,
    };
  }
  // The method is what follows the last slash; services are not told what they may be called.
  if (!/^\/[^/].*\/[^/]+$/.test(path)) {
    return {
      httpStatus: 200,
      fault: 'unimplemented',
      message: `malformed method name: ${JSON.stringify(path)}`,
    };
  }
  return undefined;
}

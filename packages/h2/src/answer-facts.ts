import { type GrpcStatus, isGrpcContentType, statusFromHeaders } from './grpc-status.ts';
import { answerFields, trailerFields } from './hop-fields.ts';
import { headerValue, type RawHeaders } from './raw-headers.ts';
import { concludeOnce } from './repeated-headers.ts';

/** What follows from the headers of a response. */
export interface AnswerFacts {
  readonly httpStatus: number;
  readonly contentType: string | undefined;
  readonly isGrpc: boolean;
  /** The status, if the headers are a whole response. */
  readonly status: GrpcStatus | undefined;
  /** The headers for the client. */
  readonly forwarded: RawHeaders;
}

export const answerFacts = concludeOnce((headers): AnswerFacts => {
  const contentType = headerValue(headers, 'content-type');
  return {
    httpStatus: Number(headerValue(headers, ':status')),
    contentType,
    isGrpc: isGrpcContentType(contentType),
    status: statusFromHeaders(headers),
    forwarded: answerFields(headers),
  };
});

/** What follows from the trailers of a response. */
export interface TrailerFacts {
  readonly status: GrpcStatus | undefined;
  /** The trailers for the client. */
  readonly forwarded: RawHeaders;
}

export const trailerFacts = concludeOnce(
  (trailers): TrailerFacts => ({
    status: statusFromHeaders(trailers),
    forwarded: trailerFields(trailers),
  }),
);

import { faultFrom } from '@nodewright/fault';
import { undecodableFault } from '@nodewright/rpc';

/** The functions and facts of a call that its method may use. */
export interface UnaryContext {
  /** IP address of the caller. */
  readonly remoteAddress: string;
  /** Aborts when the caller cancels the call, and at its deadline. */
  readonly signal: AbortSignal;
  /** Adds fields to the log line of the call. */
  annotate(facts: Readonly<Record<string, unknown>>): void;
  /** Logs the call only if it fails. For calls that repeat every few seconds. */
  keepOutOfLog(): void;
}

/** A unary method of the server. */
export interface UnaryMethod {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Maps the bytes of the request to those of the response; rejects with a Fault. */
  answer(request: Uint8Array, context: UnaryContext): Promise<Uint8Array>;
}

interface Codec<T> {
  decode(bytes: Uint8Array): T;
  encode(message: T): { finish(): Uint8Array };
}

/** Builds a method from its generated definition and its handler. */
export function unaryMethod<Request, Response>(
  service: { readonly fullName: string },
  method: {
    readonly name: string;
    readonly requestType: Pick<Codec<Request>, 'decode'>;
    readonly responseType: Pick<Codec<Response>, 'encode'>;
  },
  handle: (request: Request, context: UnaryContext) => Promise<Response>,
): UnaryMethod {
  const path = `/${service.fullName}/${method.name}`;
  const decode = (bytes: Uint8Array): Request => {
    try {
      return method.requestType.decode(bytes);
    } catch (error) {
      throw undecodableFault(path, faultFrom(error).message);
    }
  };
  return {
    path,
    answer: async (bytes, context) => {
      const response = await handle(decode(bytes), context);
      return method.responseType.encode(response).finish();
    },
  };
}

import { faultFrom } from '@nodewright/fault';
import { undecodableFault } from '@nodewright/rpc';

/** What a method may know and say about its call. */
export interface UnaryContext {
  /** IP address of the caller. */
  readonly remoteAddress: string;
  /** Aborts when the caller gives the call up, and at its deadline. */
  readonly signal: AbortSignal;
  /** Adds facts to the log line of the call. */
  annotate(facts: Readonly<Record<string, unknown>>): void;
  /** Leaves the call out of the log unless it fails: it is one of very many that say the same. */
  keepOutOfLog(): void;
}

/** A method that takes one message and gives one. */
export interface UnaryMethod {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** From the bytes of the request to those of the response; rejects with a Fault. */
  answer(request: Uint8Array, context: UnaryContext): Promise<Uint8Array>;
}

interface Codec<T> {
  decode(bytes: Uint8Array): T;
  encode(message: T): { finish(): Uint8Array };
}

/** The generated definition of a unary method, and what answers it. */
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

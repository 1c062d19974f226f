import { Fault, type FaultKind, faultFrom, grpcCodeFromKind } from '@nodewright/fault';

export interface CallFaultInit extends ErrorOptions {
  readonly node?: string | undefined;
  readonly hop?: string | undefined;
}

/** The failure of a call, with where it failed. */
export class CallFault extends Fault {
  /** The node that was asked, as the caller named it. */
  readonly node: string | undefined;
  /**
   * Where on the way to the node the call failed: `host:port` of the endpoint (of several, joined by `, `) whose
   * connection did, or the name of the node that could not pass it on. Undefined when the node itself answered so.
   */
  readonly hop: string | undefined;

  constructor(kind: FaultKind, message: string, { node, hop, ...options }: CallFaultInit = {}) {
    super(kind, message, options);
    this.node = node;
    this.hop = hop;
  }

  /** The gRPC status code, 1 to 16. */
  get code(): number {
    return grpcCodeFromKind(this.kind);
  }
}

/** How a gateway ends the text of what went wrong behind it. */
const via = / \(via ([^()]+)\)$/;

/** Whatever a call to `node` was rejected with, as a failure that names the node, and the hop where it is known. */
export function callFaultFrom(error: unknown, node: string): CallFault {
  if (error instanceof CallFault && error.node !== undefined) return error;
  const fault = faultFrom(error);
  const { kind, message } = fault;
  const hop = fault instanceof CallFault ? fault.hop : via.exec(message)?.[1];
  return new CallFault(kind, message, { cause: fault.cause ?? fault, node, hop });
}

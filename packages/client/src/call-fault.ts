import { Fault, type FaultKind, faultFrom, grpcCodeFromKind } from '@nodewright/fault';

export interface CallFaultInit extends ErrorOptions {
  readonly node?: string | undefined;
  readonly hop?: string | undefined;
}

/** The failure of a call, with the node and the hop at which it failed. */
export class CallFault extends Fault {
  /** The target node, as the caller named it. */
  readonly node: string | undefined;
  /**
   * The hop at which the call failed. When the connection to an endpoint failed, it is the `host:port` of
   * that endpoint; several endpoints are joined by `, `. When a node could not forward the call, it is the
   * name of that node. `undefined` when the target node itself reported the failure.
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

/** The suffix that a gateway appends to the message of a failure behind it. */
const via = / \(via ([^()]+)\)$/;

/**
 * Converts any rejection of a call to `node` into a failure that names the node, and the hop if it is known.
 */
export function callFaultFrom(error: unknown, node: string): CallFault {
  if (error instanceof CallFault && error.node !== undefined) return error;
  const fault = faultFrom(error);
  const { kind, message } = fault;
  const hop = fault instanceof CallFault ? fault.hop : via.exec(message)?.[1];
  return new CallFault(kind, message, { cause: fault.cause ?? fault, node, hop });
}

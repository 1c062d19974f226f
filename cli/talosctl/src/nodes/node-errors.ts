import { nodeNameInLine } from '@nodewright/client/node-name';
import { type Fault, grpcCodeFromKind, grpcCodeName } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { type NodeFailure, ReportedFailure } from '../context/failure.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { plainError } from '../render/plain-error.ts';

/** Formats a failure like a gRPC error in upstream: `rpc error: code = Unavailable desc = ...`. */
export function rpcErrorText({ kind, message }: Fault): string {
  return `rpc error: code = ${grpcCodeName(grpcCodeFromKind(kind))} desc = ${escapeEntry(plainError(message))}`;
}

/** Collects the errors of nodes, which are printed after the results of the other nodes. */
export class NodeErrors {
  readonly #env: Pick<CliEnvironment, 'stderr' | 'signal'>;
  /** The lines to print. A set, so that an equal failure is printed once. */
  readonly #lines = new Set<string>();
  readonly #failures: NodeFailure[] = [];
  #count = 0;

  constructor(env: Pick<CliEnvironment, 'stderr' | 'signal'>) {
    this.#env = env;
  }

  /** @param failure the operation that failed, if upstream's message names it */
  add(node: string, fault: Fault, failure?: string): void {
    this.#count += 1;
    // Print no error for calls that the user cancelled with Ctrl-C.
    if (fault.kind === 'cancelled' && this.#env.signal.aborted) return;
    this.#failures.push({ node, fault });
    const name = nodeNameInLine(node);
    const what = failure === undefined ? `error from node ${name}` : `${name}: ${failure}`;
    this.#lines.add(`${what}: ${rpcErrorText(fault)}`);
  }

  /** Adds a local failure that concerns a node. */
  addHere(node: string, message: string): void {
    this.#count += 1;
    this.#lines.add(`${nodeNameInLine(node)}: ${escapeEntry(plainError(message))}`);
  }

  /** Prints one line per failure. @throws ReportedFailure when there was any */
  end(): void {
    if (this.#lines.size > 0) this.#env.stderr.write(`${[...this.#lines].join('\n')}\n`);
    if (this.#count > 0) throw new ReportedFailure(this.#failures);
  }
}

import { nodeNameInLine } from '@nodewright/client/node-name';
import { type Fault, grpcCodeFromKind, grpcCodeName } from '@nodewright/fault';
import type { CliEnvironment } from './command-module.ts';
import { type NodeFailure, ReportedFailure } from './failure.ts';
import { escapeEntry } from './output/escape-text.ts';
import { plainError } from './render/plain-error.ts';

/** A failure as upstream prints one of gRPC: `rpc error: code = Unavailable desc = ...`. */
export function rpcErrorText({ kind, message }: Fault): string {
  return `rpc error: code = ${grpcCodeName(grpcCodeFromKind(kind))} desc = ${escapeEntry(plainError(message))}`;
}

/** Collects what failed on which node, to be told after the results of the others. */
export class NodeErrors {
  readonly #env: Pick<CliEnvironment, 'stderr' | 'signal'>;
  /** A failure that is met twice is one line. */
  readonly #lines = new Set<string>();
  readonly #failures: NodeFailure[] = [];
  #count = 0;

  constructor(env: Pick<CliEnvironment, 'stderr' | 'signal'>) {
    this.#env = env;
  }

  /** @param failure what failed, for calls of which upstream says so */
  add(node: string, fault: Fault, failure?: string): void {
    this.#count += 1;
    // Whoever pressed Ctrl-C knows why the calls were cancelled.
    if (fault.kind === 'cancelled' && this.#env.signal.aborted) return;
    this.#failures.push({ node, fault });
    const name = nodeNameInLine(node);
    const what = failure === undefined ? `error from node ${name}` : `${name}: ${failure}`;
    this.#lines.add(`${what}: ${rpcErrorText(fault)}`);
  }

  /** What failed here and not on the node. */
  addHere(node: string, message: string): void {
    this.#count += 1;
    this.#lines.add(`${nodeNameInLine(node)}: ${escapeEntry(plainError(message))}`);
  }

  /** Prints one line a failure. @throws ReportedFailure when there was any */
  end(): void {
    if (this.#lines.size > 0) this.#env.stderr.write(`${[...this.#lines].join('\n')}\n`);
    if (this.#count > 0) throw new ReportedFailure(this.#failures);
  }
}

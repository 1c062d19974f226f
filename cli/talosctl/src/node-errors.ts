import { nodeNameInLine } from '@nodewright/client/node-name';
import { type Fault, grpcCodeFromKind, grpcCodeName } from '@nodewright/fault';
import type { CliEnvironment } from './command-module.ts';
import { ReportedFailure } from './failure.ts';
import { printableLines } from './render/printable.ts';

/** A failure as upstream prints one of gRPC: `rpc error: code = Unavailable desc = ...`. */
export function rpcErrorText({ kind, message }: Fault): string {
  return `rpc error: code = ${grpcCodeName(grpcCodeFromKind(kind))} desc = ${printableLines(message)}`;
}

/** Collects what failed on which node, to be told after the results of the others. */
export class NodeErrors {
  readonly #env: Pick<CliEnvironment, 'stderr' | 'signal'>;
  readonly #lines: string[] = [];
  #count = 0;

  constructor(env: Pick<CliEnvironment, 'stderr' | 'signal'>) {
    this.#env = env;
  }

  /** @param failure what failed, for calls of which upstream says so */
  add(node: string, fault: Fault, failure?: string): void {
    this.#count += 1;
    // Whoever pressed Ctrl-C knows why the calls were cancelled.
    if (fault.kind === 'cancelled' && this.#env.signal.aborted) return;
    const name = nodeNameInLine(node);
    const what = failure === undefined ? `error from node ${name}` : `${name}: ${failure}`;
    this.#lines.push(`${what}: ${rpcErrorText(fault)}`);
  }

  /** What failed here and not on the node. */
  addHere(node: string, message: string): void {
    this.#count += 1;
    this.#lines.push(`${nodeNameInLine(node)}: ${printableLines(message)}`);
  }

  /** Prints one line a failure. @throws ReportedFailure when there was any */
  end(): void {
    if (this.#lines.length > 0) this.#env.stderr.write(`${this.#lines.join('\n')}\n`);
    if (this.#count > 0) throw new ReportedFailure();
  }
}

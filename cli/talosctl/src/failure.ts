import type { Fault } from '@nodewright/fault';

/** A failure of a call. */
export interface NodeFailure {
  /** As the user named it; undefined for a failure that is of no one node. */
  readonly node: string | undefined;
  readonly fault: Fault;
}

/** The command line itself is wrong: the message is printed with a pointer to the help of the command. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
  /** `config new`; undefined: the command whose action threw. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.command = command;
  }
}

/** The command failed and has already said on stderr what went wrong. Only the exit code (1) is left to do. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  /** What failed on which node, for what may help about it. */
  readonly failures: readonly NodeFailure[];

  constructor(failures: readonly NodeFailure[] = []) {
    super('the command failed');
    this.failures = failures;
  }
}

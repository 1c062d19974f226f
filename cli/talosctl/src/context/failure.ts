import { Fault } from '@nodewright/fault';

/** A failed call. */
export interface NodeFailure {
  /** The node as the user named it; `undefined` for a failure that does not belong to one node. */
  readonly node: string | undefined;
  readonly fault: Fault;
}

/** The command line is invalid. The message is printed with a reference to the help of the command. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
  /** The command whose help to name, such as `config new`; `undefined` for the command whose action threw. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.command = command;
  }
}

/** The exit code of a program that was interrupted, as shells expect it. */
export const interruptedExitCode = 130;

/**
 * The user pressed Ctrl-C at a question, or before anything was sent. The exit code is that of an interrupt. The message says what has
 * become of the command, such as `nothing was done`; it is printed in the last line.
 */
export class InterruptedFailure extends Error {
  override readonly name = 'InterruptedFailure';
}

/** The exit code of a command that compares and has found a difference, so that a script can tell it from a failure. */
export const differenceExitCode = 3;

/** The command has compared what it was asked to, and has printed what is different. The exit code is 3. */
export class DifferenceFound extends Error {
  override readonly name = 'DifferenceFound';
}

/** The user pressed Ctrl-C while the command worked. The message says what has become of it; it is printed in the last line. */
export class CancelledFault extends Fault {
  constructor(message: string) {
    super('cancelled', message);
  }
}

/** The command failed and has already printed the reason. The exit code is 1. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  /** The failures by node, from which suggestions are derived. */
  readonly failures: readonly NodeFailure[];

  constructor(failures: readonly NodeFailure[] = []) {
    super('the command failed');
    this.failures = failures;
  }
}

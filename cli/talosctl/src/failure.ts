/** The command line itself is wrong: the message is printed, then the usage text of the command. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

/** The command failed and has already said on stderr what went wrong. Only the exit code (1) is left to do. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';

  constructor() {
    super('the command failed');
  }
}

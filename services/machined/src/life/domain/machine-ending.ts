import { type MachineEnd, restartCommands } from './node-event.ts';

/**
 * Thrown by the last task of a sequence that ends the machine: nothing follows it. Its message is published
 * with the end of the sequence, as upstream does. Source: Talos v1.14: events of a sequence.
 */
export class MachineEnding extends Error {
  override readonly name = 'MachineEnding';
  readonly end: MachineEnd;

  constructor(end: MachineEnd) {
    super(`unix.Reboot(${restartCommands[end].toString(16)})`);
    this.end = end;
  }
}

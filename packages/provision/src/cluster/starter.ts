import type { SupervisorOrder, SupervisorReport } from '../domain/supervisor-message.ts';

/** The command that started this supervisor and that it answers to until it is released. */
export interface Starter {
  /** Resolves when the report has left this process. */
  report(report: SupervisorReport): Promise<void>;
  onOrder(handler: (order: SupervisorOrder) => void): void;
  /** Calls back when the starter is gone, whether it released this process before or not. */
  onGone(handler: () => void): void;
}

/** Undefined when this process was started without an IPC channel, by hand. */
export function connectStarter(): Starter | undefined {
  const send = process.send?.bind(process);
  if (send === undefined) return undefined;
  return {
    report: (report) =>
      // A starter that is gone is noticed through onGone, so a failed report needs no answer.
      new Promise((resolve) => (process.connected ? send(report, () => resolve()) : resolve())),
    onOrder(handler) {
      process.on('message', (message) => handler(message as SupervisorOrder));
    },
    onGone(handler) {
      process.once('disconnect', handler);
      if (!process.connected) handler();
    },
  };
}

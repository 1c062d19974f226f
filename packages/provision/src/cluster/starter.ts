import type { SupervisorOrder, SupervisorReport } from '../domain/supervisor-message.ts';

/** The process that started this supervisor. The supervisor depends on it until it is released. */
export interface Starter {
  /** Resolves when the report has been sent. */
  report(report: SupervisorReport): Promise<void>;
  onOrder(handler: (order: SupervisorOrder) => void): void;
  /** Calls the handler when the starter has disconnected, whether or not it released this process before. */
  onGone(handler: () => void): void;
}

/** Returns `undefined` when this process was started by hand, without an IPC channel. */
export function connectStarter(): Starter | undefined {
  const send = process.send?.bind(process);
  if (send === undefined) return undefined;
  return {
    report: (report) =>
      // `onGone` reports a starter that has disconnected, so a failed send is ignored here.
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

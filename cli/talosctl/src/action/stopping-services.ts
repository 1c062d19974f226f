import type { ActionEvent } from './action-event.ts';

/** Whether the node has come to its end: the services are being stopped. Source: Talos v1.14: action tracking. */
export function isStoppingServices(event: ActionEvent): boolean {
  return event.kind === 'task' && event.name === 'stopAllServices';
}

import type { ActionEvent } from './action-event.ts';

/** Whether the node is stopping its services, its last event before the end. Source: Talos v1.14: action tracking. */
export function isStoppingServices(event: ActionEvent): boolean {
  return event.kind === 'task' && event.name === 'stopAllServices';
}

import { type MachineStage, stageAfter } from '../domain/machine-status.ts';
import type { EventStore } from './event-store.ts';

/**
 * Resolves when the last status among the events has the stage to which the events before it have led, or when `signal` aborts. The status
 * comes from controllers, some time after the event of the sequence that changed the stage.
 */
export async function awaitStage(events: EventStore, signal: AbortSignal): Promise<void> {
  const { start, end } = events.ring;
  let stage: MachineStage = 'booting';
  let told: MachineStage | undefined;
  let position = start;
  for await (const { event } of events.read(start, signal)) {
    position += 1;
    if (event.kind === 'machine-status') told = event.status.stage;
    else if (event.kind === 'sequence' || event.kind === 'sequence-failed' || event.kind === 'task')
      stage = stageAfter(stage, event);
    if (position >= end && told === stage) return;
  }
}

import { Code, codeToJSON } from '@nodewright/contract/gen/common/common.ts';
import {
  type Event,
  MachineStatusEvent,
  machineStatusEvent_MachineStageToJSON,
  PhaseEvent,
  phaseEvent_ActionToJSON,
  SequenceEvent,
  ServiceStateEvent,
  sequenceEvent_ActionToJSON,
  TaskEvent,
  taskEvent_ActionToJSON,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { plainError } from '../render/plain-error.ts';

/** The fields of an event that action tracking needs. */
export type ActionEvent = { readonly id: string; readonly actorId: string } & (
  | {
      readonly kind: 'sequence';
      readonly sequence: string;
      readonly action: string;
      readonly error?: { readonly code: string; readonly message: string };
    }
  | { readonly kind: 'phase' | 'task'; readonly name: string; readonly action: string }
  | {
      readonly kind: 'status';
      readonly stage: string;
      readonly ready: boolean;
      readonly unmetConditions: readonly string[];
    }
  | {
      readonly kind: 'service';
      readonly service: string;
      readonly message: string;
      readonly healthy: boolean;
    }
  /** An event that does not concern actions. */
  | { readonly kind: 'other' }
);

const typePrefix = 'talos/runtime/machine.';
const others: readonly string[] = [
  ...['ConfigLoadErrorEvent', 'ConfigValidationErrorEvent', 'AddressEvent', 'RestartEvent'],
];

/** @throws Fault `internal` for an unknown type of event. Source: Talos v1.14: event rendering. */
export function actionEvent({ id, actorId, data }: Event): ActionEvent {
  const typeUrl = data?.typeUrl ?? '';
  const name = typeUrl.startsWith(typePrefix) ? typeUrl.slice(typePrefix.length) : undefined;
  const value = data?.value ?? new Uint8Array();
  const by = { id, actorId };
  switch (name) {
    case 'SequenceEvent': {
      const { sequence, action, error } = SequenceEvent.decode(value);
      const failure = error && {
        code: codeToJSON(error.code ?? Code.FATAL),
        message: plainError(error.message),
      };
      return {
        ...by,
        kind: 'sequence',
        sequence,
        action: sequenceEvent_ActionToJSON(action),
        ...(failure && { error: failure }),
      };
    }
    case 'PhaseEvent': {
      const { phase, action } = PhaseEvent.decode(value);
      return { ...by, kind: 'phase', name: phase, action: phaseEvent_ActionToJSON(action) };
    }
    case 'TaskEvent': {
      const { task, action } = TaskEvent.decode(value);
      return { ...by, kind: 'task', name: task, action: taskEvent_ActionToJSON(action) };
    }
    case 'MachineStatusEvent': {
      const { stage, status } = MachineStatusEvent.decode(value);
      const unmetConditions = (status?.unmetConditions ?? []).map(({ name: condition }) => condition);
      const shown = machineStatusEvent_MachineStageToJSON(stage);
      return { ...by, kind: 'status', stage: shown, ready: status?.ready ?? false, unmetConditions };
    }
    case 'ServiceStateEvent': {
      const { service, message, health } = ServiceStateEvent.decode(value);
      return { ...by, kind: 'service', service, message, healthy: health?.healthy ?? false };
    }
    default:
      if (name === undefined || !others.includes(name))
        throw new Fault('internal', `the node sent an event of unknown type ${JSON.stringify(typeUrl)}`);
      return { ...by, kind: 'other' };
  }
}

/** The longest message of a service that is printed in full, in characters. */
const longestMessage = 100;

/** The text of an event; `undefined` if it does not concern actions. Source: Talos v1.14: action tracking. */
export function actionEventText(event: ActionEvent): string | undefined {
  switch (event.kind) {
    case 'sequence': {
      const { sequence, action, error } = event;
      const failure = error === undefined ? '' : ` error: [code: ${error.code} message: ${error.message}]`;
      return `sequence: ${sequence} action: ${action}${failure}`;
    }
    case 'phase':
    case 'task':
      return `${event.kind}: ${event.name} action: ${event.action}`;
    case 'status':
      return `stage: ${event.stage} ready: ${event.ready} unmetCond: [${event.unmetConditions.join(' ')}]`;
    case 'service':
      return `service: ${event.service} message: ${shortened(event.message)} healthy: ${event.healthy}`;
    case 'other':
      return undefined;
  }
}

/** Shortens a message, which may contain a long command line. */
function shortened(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage - 3)}...` : text;
}

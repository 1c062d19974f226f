import { Code } from '@nodewright/contract/gen/common/common.ts';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import {
  AddressEvent,
  ConfigLoadErrorEvent,
  MachineStatusEvent,
  PhaseEvent,
  RestartEvent,
  SequenceEvent,
  SequenceEvent_Action,
  ServiceStateEvent_Action as ServiceAction,
  ServiceStateEvent,
  MachineStatusEvent_MachineStage as Stage,
  TaskEvent,
} from '@nodewright/contract/gen/machine/machine.ts';
import { type ServiceState, unknownHealth } from '@nodewright/services';
import { serviceHealthMessage } from '../../services/rpc/service-health-message.ts';
import type { MachineStage } from '../domain/machine-status.ts';
import {
  type NodeEvent,
  restartCommands,
  type SequenceError,
  type StepAction,
} from '../domain/node-event.ts';

/** Not the standard prefix of Any, because clients expect this one. Source: Talos v1.14: events, envelope. */
const typePrefix = 'talos/runtime/machine.';

const stepActions = { start: 0, stop: 1 } as const satisfies Record<StepAction, number>;

const errorCodes = {
  fatal: Code.FATAL,
  locked: Code.LOCKED,
  cancelled: Code.CANCELED,
} as const satisfies Record<SequenceError['code'], Code>;

const stages = {
  booting: Stage.BOOTING,
  maintenance: Stage.MAINTENANCE,
  running: Stage.RUNNING,
  'shutting-down': Stage.SHUTTING_DOWN,
  rebooting: Stage.REBOOTING,
  resetting: Stage.RESETTING,
  upgrading: Stage.UPGRADING,
  installing: Stage.INSTALLING,
} as const satisfies Record<MachineStage, Stage>;

const serviceActions = {
  Initialized: ServiceAction.INITIALIZED,
  Preparing: ServiceAction.PREPARING,
  Waiting: ServiceAction.WAITING,
  Running: ServiceAction.RUNNING,
  Stopping: ServiceAction.STOPPING,
  Finished: ServiceAction.FINISHED,
  Failed: ServiceAction.FAILED,
  Skipped: ServiceAction.SKIPPED,
  Starting: ServiceAction.STARTING,
} as const satisfies Record<ServiceState, ServiceAction>;

function packed<Message>(
  name: string,
  codec: { encode(message: Message): { finish(): Uint8Array } },
  message: Message,
): Any {
  return { typeUrl: typePrefix + name, value: Buffer.from(codec.encode(message).finish()) };
}

/** The payload of an event in its `data`. */
export function eventData(event: NodeEvent): Any {
  switch (event.kind) {
    case 'sequence': {
      const action = SequenceEvent_Action[event.action === 'start' ? 'START' : 'STOP'];
      return packed('SequenceEvent', SequenceEvent, { sequence: event.sequence, action, error: undefined });
    }
    case 'sequence-failed': {
      const { sequence, error } = event;
      const { code, message } = error;
      return packed('SequenceEvent', SequenceEvent, {
        sequence,
        action: SequenceEvent_Action.NOOP,
        error: { code: errorCodes[code], message, details: [] },
      });
    }
    case 'phase':
      return packed('PhaseEvent', PhaseEvent, { phase: event.phase, action: stepActions[event.action] });
    case 'task':
      return packed('TaskEvent', TaskEvent, { task: event.task, action: stepActions[event.action] });
    case 'service': {
      const { service, entry, health } = event;
      return packed('ServiceStateEvent', ServiceStateEvent, {
        service,
        action: serviceActions[entry.state],
        message: entry.message,
        health: serviceHealthMessage(entry.state === 'Running' ? health : unknownHealth),
      });
    }
    case 'restart':
      return packed('RestartEvent', RestartEvent, { cmd: BigInt(restartCommands[event.end]) });
    case 'machine-status': {
      const { stage, ready, unmetConditions } = event.status;
      return packed('MachineStatusEvent', MachineStatusEvent, {
        stage: stages[stage],
        status: { ready, unmetConditions: [...unmetConditions] },
      });
    }
    case 'address':
      return packed('AddressEvent', AddressEvent, {
        hostname: event.hostname,
        addresses: [...event.addresses],
      });
    case 'config-load-error':
      return packed('ConfigLoadErrorEvent', ConfigLoadErrorEvent, { error: event.error });
  }
}

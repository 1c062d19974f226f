import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import {
  AddressEvent,
  ConfigLoadErrorEvent,
  ConfigValidationErrorEvent,
  MachineStatusEvent,
  machineStatusEvent_MachineStageToJSON,
  PhaseEvent,
  phaseEvent_ActionToJSON,
  RestartEvent,
  SequenceEvent,
  ServiceStateEvent,
  sequenceEvent_ActionToJSON,
  serviceStateEvent_ActionToJSON,
  TaskEvent,
  taskEvent_ActionToJSON,
} from '@nodewright/contract/gen/machine/machine.ts';
import { plainError } from '../render/plain-error.ts';

/** An event, as text and as fields. */
export interface EventText {
  /** The message type, such as `machine.ServiceStateEvent`. */
  readonly type: string;
  readonly source: string;
  readonly message: string;
  /** The message as protobuf JSON. */
  readonly fields: unknown;
}

interface Codec<Message> {
  decode(bytes: Uint8Array): Message;
  toJSON(message: Message): unknown;
}

type Reader = (bytes: Uint8Array) => Omit<EventText, 'type'>;

function reader<Message>(
  codec: Codec<Message>,
  text: (message: Message) => { source: string; message: string },
): Reader {
  return (bytes) => {
    const message = codec.decode(bytes);
    return { ...text(message), fields: codec.toJSON(message) };
  };
}

/** Readers of events by message type. Source: Talos v1.14: event rendering. */
const readers: Readonly<Record<string, Reader>> = {
  'machine.SequenceEvent': reader(SequenceEvent, ({ sequence, action, error }) => ({
    source: sequence,
    message: error ? `error: ${plainError(error.message)}` : sequenceEvent_ActionToJSON(action),
  })),
  'machine.PhaseEvent': reader(PhaseEvent, ({ phase, action }) => ({
    source: phase,
    message: phaseEvent_ActionToJSON(action),
  })),
  'machine.TaskEvent': reader(TaskEvent, ({ task, action }) => ({
    source: task,
    message: taskEvent_ActionToJSON(action),
  })),
  'machine.ServiceStateEvent': reader(ServiceStateEvent, ({ service, action, message }) => ({
    source: service,
    message: `${serviceStateEvent_ActionToJSON(action)}: ${message}`,
  })),
  'machine.ConfigLoadErrorEvent': reader(ConfigLoadErrorEvent, ({ error }) => ({
    source: 'error',
    message: error,
  })),
  'machine.ConfigValidationErrorEvent': reader(ConfigValidationErrorEvent, ({ error }) => ({
    source: 'error',
    message: error,
  })),
  'machine.AddressEvent': reader(AddressEvent, ({ hostname, addresses }) => ({
    source: hostname,
    message: `ADDRESSES: ${addresses.join(',')}`,
  })),
  'machine.MachineStatusEvent': reader(MachineStatusEvent, ({ stage, status }) => ({
    source: machineStatusEvent_MachineStageToJSON(stage),
    message: `ready: ${status?.ready ?? false}, unmet conditions: [${(status?.unmetConditions ?? [])
      .map(({ name }) => name)
      .join(' ')}]`,
  })),
  'machine.RestartEvent': reader(RestartEvent, ({ cmd }) => ({
    source: 'restart',
    message: `command 0x${cmd.toString(16)}`,
  })),
};

const typePrefix = 'talos/runtime/';

/** Reads an event; `undefined` for the first, empty event of a stream and for unknown types. */
export function readEvent(data: Any | undefined): EventText | undefined {
  if (data === undefined || !data.typeUrl.startsWith(typePrefix)) return undefined;
  const type = data.typeUrl.slice(typePrefix.length);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return read === undefined ? undefined : { type, ...read(data.value) };
}

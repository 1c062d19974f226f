// A simulated machine that publishes its events, goes down and comes back, for tests of commands that wait
// for it.
import { Data } from '@nodewright/contract/gen/common/common.ts';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import {
  Event,
  EventsRequest,
  MachineStatusEvent,
  RebootRequest,
  RebootResponse,
  ResetRequest,
  ResetResponse,
  SequenceEvent,
  ShutdownResponse,
  TaskEvent,
  UpgradeRequest,
  UpgradeResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';
import { reply } from './replies.ts';

type EventData = Parameters<typeof Event.fromPartial>[0]['data'];

function packed<Message, Partial>(
  name: string,
  codec: { fromPartial(value: Partial): Message; encode(message: Message): { finish(): Uint8Array } },
  value: Partial,
): Any {
  const bytes = Buffer.from(codec.encode(codec.fromPartial(value)).finish());
  return { typeUrl: `talos/runtime/machine.${name}`, value: bytes };
}

export const sequenceEvent = (
  sequence: string,
  action: 0 | 1 | 2,
  error?: { code: 0 | 1; message: string },
) => packed('SequenceEvent', SequenceEvent, { sequence, action, ...(error && { error }) });
export const taskEvent = (task: string, action: 0 | 1) => packed('TaskEvent', TaskEvent, { task, action });
/** Stages: 1 booting, 4 running, 5 rebooting. */
export const statusEvent = (stage: 1 | 4 | 5, ready: boolean) =>
  packed('MachineStatusEvent', MachineStatusEvent, { stage, status: { ready, unmetConditions: [] } });

/** Events have ids that grow, also across restarts. */
let lastId = 0;

export class FakeMachine {
  /** The requests so far. */
  readonly requests: unknown[] = [];
  /** Whether its callers may read files. */
  mayRead = true;
  /** Whether it answers calls. */
  isUp = true;
  bootId = 1;
  /** What it does after an action was requested. */
  act: (actor: string) => Promise<void> | void = () => {};
  #history: { id: string; actorId: string; data: EventData }[] = [];
  readonly #listeners = new Set<FakeCall>();

  tell(data: EventData, actorId = ''): void {
    const event = { id: nextId(), actorId, data };
    this.#history.push(event);
    for (const call of this.#listeners) send(call, event);
  }

  /** Goes down and loses its in-memory state. */
  goDown(): void {
    this.isUp = false;
    this.#history = [];
    for (const call of this.#listeners) call.fail(14, 'connection lost');
    this.#listeners.clear();
  }

  comeBack(): void {
    this.bootId++;
    this.isUp = true;
    this.tell(sequenceEvent('boot', 1));
    this.tell(statusEvent(4, true));
  }

  readonly handlers: Readonly<Record<string, FakeHandler>> = {
    '/machine.MachineService/Events': (call) => {
      if (!this.isUp) return call.fail(14, 'connect refused');
      const { tailEvents } = EventsRequest.decode(call.request);
      send(call, { id: nextId(), data: { typeUrl: '', value: Buffer.alloc(0) } });
      if (tailEvents === -1) for (const event of this.#history) send(call, event);
      this.#listeners.add(call);
      call.signal.addEventListener('abort', () => this.#listeners.delete(call));
    },
    '/machine.MachineService/Read': (call) => {
      if (!this.isUp) return call.fail(14, 'connect refused');
      if (!this.mayRead) return call.fail(7, 'not authorized');
      const bytes = Buffer.from(`boot ${this.bootId}\n`);
      call.send(Data.encode(Data.fromPartial({ bytes })).finish());
      call.end();
    },
    '/machine.MachineService/Reboot': (call) => {
      this.requests.push(RebootRequest.decode(call.request));
      reply(call, RebootResponse, { messages: [{ actorId: this.#begin() }] });
    },
    '/machine.MachineService/Upgrade': (call) => {
      this.requests.push(UpgradeRequest.decode(call.request));
      reply(call, UpgradeResponse, { messages: [{ ack: 'begun', actorId: this.#begin() }] });
    },
    '/machine.MachineService/Shutdown': (call) =>
      reply(call, ShutdownResponse, { messages: [{ actorId: this.#begin() }] }),
    '/machine.MachineService/Reset': (call) => {
      this.requests.push(ResetRequest.decode(call.request));
      reply(call, ResetResponse, { messages: [{ actorId: this.#begin() }] });
    },
  };

  #begin(): string {
    const actor = `actor-${++lastId}`;
    setImmediate(() => void this.act(actor));
    return actor;
  }
}

function nextId(): string {
  lastId++;
  return String(lastId).padStart(20, '0');
}

function send(call: FakeCall, event: Parameters<typeof Event.fromPartial>[0]): void {
  call.send(Event.encode(Event.fromPartial(event)).finish());
}

import { EventsRequest, LogsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { messagePrefix } from '@nodewright/h2';

/** Streams that users leave open all day, on the node that is called and on one behind it. */
export function followRequests(behind: string) {
  const logs = framed(
    LogsRequest.encode(
      LogsRequest.create({ namespace: 'system', id: 'machined', follow: true, tailLines: 1 }),
    ).finish(),
  );
  const events = framed(EventsRequest.encode(EventsRequest.create({ tailEvents: 0 })).finish());
  const hop = [['node', behind]] as const;
  return [
    { what: 'logs -f', method: '/machine.MachineService/Logs', metadata: [], body: logs },
    { what: 'logs -f through a hop', method: '/machine.MachineService/Logs', metadata: hop, body: logs },
    { what: 'events', method: '/machine.MachineService/Events', metadata: [], body: events },
    { what: 'events through a hop', method: '/machine.MachineService/Events', metadata: hop, body: events },
  ];
}

function framed(message: Uint8Array): Buffer {
  return Buffer.concat([messagePrefix(message.length), message]);
}

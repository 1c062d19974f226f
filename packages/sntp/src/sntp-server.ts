import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  decodeNtpPacket,
  encodeNtpPacket,
  type NtpPacket,
  ntpModes,
  ntpPacketBytes,
  referenceIdFromText,
} from './ntp-packet.ts';
import { ntpFromUnixMs } from './ntp-time.ts';
import { systemWallClock, type WallClock } from './wall-clock.ts';

export interface SntpServerInit {
  /** IP address to listen on. */
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The clock that the server reports; default the host's. */
  readonly clock?: WallClock;
  /** The stratum in replies; default 10, the usual value of an undisciplined local clock. */
  readonly stratum?: number;
  /** The leap indicator in replies; default 0. 3 means that the clock is not set. */
  readonly leap?: number;
}

export interface SntpServer extends AsyncDisposable {
  readonly address: string;
  /** The port on which it listens. */
  readonly port: number;
}

const localStratum = 10;
/** The reference id of an undisciplined local clock, RFC 5905 figure 12. */
const localReferenceId = referenceIdFromText('LOCL');
/** About a microsecond. */
const precision = -20;
const oldestVersion = 1;
const newestVersion = 4;

/**
 * Answers NTP clients with the time of `clock`. Packets other than client requests get no reply, and no reply
 * is longer than its request. Resolves when the server listens; the caller disposes it.
 *
 * @throws Fault that names the address when it cannot listen there
 */
export async function createSntpServer(init: SntpServerInit): Promise<SntpServer> {
  const clock = init.clock ?? systemWallClock;
  const socket = createSocket(isIPv6(init.address) ? 'udp6' : 'udp4');
  socket.on('message', (bytes, sender) => {
    const receivedMs = clock.now();
    const request = requestFrom(bytes);
    if (request === undefined) return;
    // A failed send to a client that has disconnected is not an error of the server.
    socket.send(
      encodeNtpPacket(replyTo(request, receivedMs, clock.now(), init)),
      sender.port,
      sender.address,
      () => {},
    );
  });

  try {
    socket.bind(init.port, init.address);
    await once(socket, 'listening');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot answer NTP on "${init.address}" port ${init.port}: ${message}`, {
      cause: error,
    });
  }
  return {
    address: init.address,
    port: socket.address().port,
    [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose](),
  };
}

function requestFrom(bytes: Uint8Array): NtpPacket | undefined {
  if (bytes.length < ntpPacketBytes) return undefined;
  const packet = decodeNtpPacket(bytes);
  const isRequest =
    packet.mode === ntpModes.client && packet.version >= oldestVersion && packet.version <= newestVersion;
  return isRequest ? packet : undefined;
}

function replyTo(request: NtpPacket, receivedMs: number, nowMs: number, init: SntpServerInit): NtpPacket {
  return {
    leap: init.leap ?? 0,
    version: request.version,
    mode: ntpModes.server,
    stratum: init.stratum ?? localStratum,
    poll: request.poll,
    precision,
    rootDelay: 0,
    rootDispersion: 0,
    referenceId: localReferenceId,
    referenceTime: ntpFromUnixMs(receivedMs),
    originTime: request.transmitTime,
    receiveTime: ntpFromUnixMs(receivedMs),
    transmitTime: ntpFromUnixMs(nowMs),
  };
}

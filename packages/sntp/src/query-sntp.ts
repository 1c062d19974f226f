import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { Deadline, unlessAborted } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { checkReply } from './check-reply.ts';
import { decodeNtpPacket, encodeNtpPacket, type NtpPacket, ntpModes, ntpPacketBytes } from './ntp-packet.ts';
import { unixMsFromNtp } from './ntp-time.ts';
import { parseServerAddress } from './server-address.ts';
import { systemWallClock, type WallClock } from './wall-clock.ts';

export interface SntpQuery {
  /** `host` or `host:port`. */
  readonly server: string;
  /** Deadline for name resolution, all addresses and the reply together. */
  readonly timeoutMs: number;
  /** The clock that is compared with the server's; default the host's. */
  readonly clock?: WallClock;
  readonly signal?: AbortSignal;
}

/** The reply of a server, RFC 5905 §8. */
export interface SntpAnswer {
  /** The address that replied. */
  readonly address: string;
  readonly port: number;
  /** The value to add to the local clock to get the server's time. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
  /** Local time when the reply arrived, Unix ms. */
  readonly localTimeMs: number;
  /** The server's time at the same moment, Unix ms. */
  readonly remoteTimeMs: number;
  readonly stratum: number;
  readonly leap: number;
}

const ntpVersion = 4;

/**
 * Queries an NTP server for the time, each of its addresses once until one replies. It does not set the
 * clock.
 *
 * @throws Fault that names the server and the time waited: `invalid-argument` for an invalid server address,
 * `deadline-exceeded` without a reply, `unavailable` when the server cannot be reached or reports that its
 * time is unusable, `cancelled` when `signal` aborts
 */
export async function querySntp(query: SntpQuery): Promise<SntpAnswer> {
  const { host, port } = parseServerAddress(query.server);
  const startedMs = performance.now();
  const waited = () => `after ${Math.round(performance.now() - startedMs)} ms`;
  using deadline = new Deadline(query.timeoutMs, query.signal);
  let lastFailure: unknown;

  try {
    const addresses = await unlessAborted(lookup(host, { all: true }), deadline.signal);
    for (const [index, { address }] of addresses.entries()) {
      const remainingMs = query.timeoutMs - (performance.now() - startedMs);
      using share = new Deadline(remainingMs / (addresses.length - index), deadline.signal);
      try {
        return await askAddress(address, port, query.clock ?? systemWallClock, share.signal);
      } catch (error) {
        lastFailure = error;
        deadline.signal.throwIfAborted();
      }
    }
    throw lastFailure;
  } catch (error) {
    if (query.signal?.aborted)
      throw new Fault('cancelled', `the question to time server "${query.server}" was cancelled`);
    const fault = faultFrom(error);
    throw new Fault(fault.kind, `time server "${query.server}": ${fault.message} (${waited()})`, {
      cause: error,
    });
  }
}

async function askAddress(
  address: string,
  port: number,
  clock: WallClock,
  signal: AbortSignal,
): Promise<SntpAnswer> {
  await using socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  // A connected socket: the kernel drops packets of other senders and reports a closed port.
  socket.connect(port, address);
  await once(socket, 'connect', { signal });

  // The request does not reveal the local clock: its transmit time is random and only identifies the reply.
  const transmitTime = randomBytes(8).readBigUInt64BE();
  const answer = nextAnswer(socket, transmitTime, clock, signal);
  const sentMs = clock.now();
  socket.send(encodeNtpPacket(requestFrom(transmitTime)));
  const { reply, localTimeMs } = await answer;

  const receivedThereMs = unixMsFromNtp(reply.receiveTime);
  const sentThereMs = unixMsFromNtp(reply.transmitTime);
  const offsetMs = (receivedThereMs - sentMs + (sentThereMs - localTimeMs)) / 2;
  return {
    address,
    port,
    offsetMs,
    roundTripMs: Math.max(0, localTimeMs - sentMs - (sentThereMs - receivedThereMs)),
    localTimeMs,
    remoteTimeMs: localTimeMs + offsetMs,
    stratum: reply.stratum,
    leap: reply.leap,
  };
}

/** Waits for the reply to the request with `transmitTime` and ignores other packets. */
function nextAnswer(
  socket: Socket,
  transmitTime: bigint,
  clock: WallClock,
  signal: AbortSignal,
): Promise<{ reply: NtpPacket; localTimeMs: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ reply: NtpPacket; localTimeMs: number }>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  socket.on('error', reject);
  socket.on('message', (bytes) => {
    const localTimeMs = clock.now();
    if (bytes.length < ntpPacketBytes) return;
    const reply = decodeNtpPacket(bytes);
    const verdict = checkReply(reply, transmitTime);
    if (verdict.kind === 'good') resolve({ reply, localTimeMs });
    if (verdict.kind === 'refused') reject(new Fault('unavailable', verdict.reason));
  });
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

function requestFrom(transmitTime: bigint): NtpPacket {
  return {
    leap: 0,
    version: ntpVersion,
    mode: ntpModes.client,
    stratum: 0,
    poll: 0,
    precision: 0,
    rootDelay: 0,
    rootDispersion: 0,
    referenceId: 0,
    referenceTime: 0n,
    originTime: 0n,
    receiveTime: 0n,
    transmitTime,
  };
}

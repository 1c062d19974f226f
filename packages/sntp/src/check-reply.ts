import { leapAlarm, type NtpPacket, ntpModes, referenceIdText } from './ntp-packet.ts';
import { msFromNtpShort, type NtpTimestamp } from './ntp-time.ts';

/** The verdict on a packet that arrived after a request. */
export type ReplyVerdict =
  /** A usable reply to the request. */
  | { readonly kind: 'good' }
  /** Not a reply to this request: late, forged or unrelated. The real reply may still come. */
  | { readonly kind: 'stray' }
  /** A reply of the server, which states that its time must not be used. */
  | { readonly kind: 'refused'; readonly reason: string };

const highestStratum = 15;

/** A server this far from its reference clock has lost it. RFC 5905 calls the limit MAXDISP. */
const maxRootDistanceMs = 16_000;

/**
 * Compares a packet with the transmit time of the request. That time is random, so only a host that saw the
 * request can answer it.
 */
export function checkReply(reply: NtpPacket, requestTransmitTime: NtpTimestamp): ReplyVerdict {
  if (reply.mode !== ntpModes.server || reply.originTime !== requestTransmitTime) return { kind: 'stray' };
  const refused = (reason: string) => ({ kind: 'refused', reason }) as const;

  if (reply.stratum === 0) return refused(`it sent the kiss of death ${referenceIdText(reply.referenceId)}`);
  if (reply.leap === leapAlarm) return refused('its clock is not set');
  if (reply.stratum > highestStratum) return refused(`its stratum is ${reply.stratum}`);
  if (reply.transmitTime === 0n || reply.receiveTime === 0n) return refused('its answer has no time');
  if (BigInt.asIntN(64, reply.transmitTime - reply.receiveTime) < 0n) {
    return refused('it answered before it received the request');
  }
  const rootDistanceMs = msFromNtpShort(reply.rootDelay) / 2 + msFromNtpShort(reply.rootDispersion);
  if (rootDistanceMs > maxRootDistanceMs) {
    return refused(`it is ${Math.round(rootDistanceMs)} ms from its reference clock`);
  }
  return { kind: 'good' };
}

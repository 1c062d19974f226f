import { leapAlarm, type NtpPacket, ntpModes, referenceIdText } from './ntp-packet.ts';
import { msFromNtpShort, type NtpTimestamp } from './ntp-time.ts';

/** What a packet that arrived after a request is worth. */
export type ReplyVerdict =
  /** An answer to the request, and usable. */
  | { readonly kind: 'good' }
  /** Not an answer to this request: late, forged or foreign. The true one may still come. */
  | { readonly kind: 'stray' }
  /** The server's answer, which says that its time must not be used. */
  | { readonly kind: 'refused'; readonly reason: string };

const highestStratum = 15;

/** A server this far from its reference clock has lost it. RFC 5905 calls the limit MAXDISP. */
const maxRootDistanceMs = 16_000;

/**
 * Judges a packet against the transmit time that the request carried. The request's transmit time is random, so only
 * who saw the request can answer it.
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

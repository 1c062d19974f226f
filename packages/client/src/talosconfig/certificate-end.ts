import { X509Certificate } from 'node:crypto';
import type { TalosconfigContext } from './talosconfig.ts';

/** In the last 30 days of a certificate commands warn, and clusters of this machine issue it again. */
const noticeMs = 30 * 24 * 3_600_000;
/** A certificate for a day is not about to end when it is new. */
const noticeShare = 1 / 3;

export interface CertificateEnd {
  readonly endsAt: Date;
  /** Whether it is time for a new one. */
  readonly isDue: boolean;
  /** The subject, with the roles. */
  readonly subject: string;
}

/** When the client certificate of a context ends; undefined without one, and for one that cannot be read. */
export function certificateEnd({ crt }: TalosconfigContext, now: Date): CertificateEnd | undefined {
  if (crt === undefined) return undefined;
  try {
    const { validFromDate, validToDate: endsAt, subject } = new X509Certificate(Buffer.from(crt, 'base64'));
    const lifetimeMs = endsAt.getTime() - validFromDate.getTime();
    const leftMs = endsAt.getTime() - now.getTime();
    return { endsAt, isDue: leftMs < Math.min(noticeMs, lifetimeMs * noticeShare), subject };
  } catch {
    return undefined;
  }
}

import { X509Certificate } from 'node:crypto';
import type { DiagnosticSpec } from '@nodewright/state/kinds';

export interface NamedCertificate {
  /** For people, such as `server of etcd`. */
  readonly name: string;
  /** PEM; of several certificates, the first one. */
  readonly certificate: string;
}

const dayMs = 24 * 3_600_000;

/** The diagnostics before an end, the most urgent one first. Each has an id of its own, so that each is logged. */
const stages = [
  { id: 'certificate-ends-7-days', days: 7 },
  { id: 'certificate-ends-30-days', days: 30 },
] as const;

/**
 * Certificates are renewed after half of their lifetime. One of a day is fine when it ends in a week, and is not when a
 * quarter of its lifetime is left.
 */
const shareLeft = 1 / 4;

interface End {
  readonly name: string;
  readonly endMs: number;
  readonly lifetimeMs: number;
}

/** The diagnostics about certificates that end soon, by id. Ends of renewed certificates are never that near. */
export function certificateEndProblems(
  certificates: readonly NamedCertificate[],
  nowMs: number,
): ReadonlyMap<string, DiagnosticSpec> {
  const problems = new Map<string, DiagnosticSpec>();
  let rest = certificates.flatMap(endOf).sort((one, other) => one.endMs - other.endMs);
  for (const { id, days } of stages) {
    const isNear = ({ endMs, lifetimeMs }: End) =>
      endMs - nowMs < Math.min(days * dayMs, lifetimeMs * shareLeft);
    const [first, ...others] = rest.filter(isNear);
    rest = rest.filter((end) => !isNear(end));
    if (first === undefined) continue;
    problems.set(id, {
      message: `the certificate of ${first.name} ends at ${timeOf(first)}, in less than ${days} days`,
      details: [
        ...others.map((end) => `the certificate of ${end.name} ends at ${timeOf(end)}`),
        'the node renews its certificates while its clock is right; a CA is replaced in the machine configuration',
      ],
    });
  }
  return problems;
}

/** Of several CAs that are accepted the last one to end counts: the others are to be removed. */
export function lastToEnd(name: string, certificates: readonly string[]): NamedCertificate[] {
  const ends = certificates.flatMap((certificate) =>
    endOf({ name, certificate }).map(({ endMs }) => ({ certificate, endMs })),
  );
  const last = ends.sort((one, other) => other.endMs - one.endMs)[0];
  return last === undefined ? [] : [{ name, certificate: last.certificate }];
}

/** Empty for a text that is no certificate: its users report that. */
function endOf({ name, certificate }: NamedCertificate): End[] {
  try {
    const { validFromDate, validToDate } = new X509Certificate(certificate);
    const endMs = validToDate.getTime();
    return [{ name, endMs, lifetimeMs: endMs - validFromDate.getTime() }];
  } catch {
    return [];
  }
}

const timeOf = ({ endMs }: End) => new Date(endMs).toISOString();

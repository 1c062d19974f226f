import type { DiagnosticSpec, EtcdSpecSpec } from '@nodewright/state/kinds';

/** What the node's own member says about its database. */
export interface EtcdSpace {
  /** Size of the file, which etcd compares with the quota. */
  readonly usedBytes: number;
  /** What would stay after a defragmentation. */
  readonly inUseBytes: number;
  /** 0: the member does not say. Releases before 3.6 do not. */
  readonly quotaBytes: number;
  /** Alarms of any member and other errors, as etcd writes them. */
  readonly errors: readonly string[];
}

/** What etcd takes when no flag sets it. */
const defaultQuotaBytes = 2 * 1024 ** 3;
/** At this share of the quota there is still time for a defragmentation. */
const shareForProblem = 0.8;
const mebibyte = 1024 ** 2;

/** The diagnostics about alarms and the quota, by id. */
export function etcdSpaceProblems(
  space: EtcdSpace,
  spec: Pick<EtcdSpecSpec, 'extraArgs'> | undefined,
): ReadonlyMap<string, DiagnosticSpec> {
  const problems = new Map<string, DiagnosticSpec>();
  // An id for each type: an alarm that comes later is a problem of its own, and is logged as well.
  const alarmsByType = Map.groupBy(alarmsIn(space.errors), ({ type }) => type);
  for (const [type, alarms] of alarmsByType)
    problems.set(`etcd-alarm-${type.toLowerCase()}`, {
      message: `etcd has the alarm ${type}`,
      details: alarms.map(({ member }) => `${effectOf(type)} (member ${member})`),
    });
  const quotaBytes = space.quotaBytes > 0 ? space.quotaBytes : quotaIn(spec);
  if (quotaBytes !== undefined && space.usedBytes >= shareForProblem * quotaBytes)
    problems.set('etcd-quota', {
      message: `the database of etcd has ${Math.floor((100 * space.usedBytes) / quotaBytes)} % of its quota of ${mib(quotaBytes)}`,
      details: [
        `${mib(space.inUseBytes)} of ${mib(space.usedBytes)} are in use: "talosctl etcd defrag" frees the rest`,
        'etcd refuses writes when the quota is full; flag quota-backend-bytes of cluster.etcd.extraArgs sets it',
      ],
    });
  return problems;
}

interface ShownAlarm {
  readonly type: string;
  /** Hexadecimal, as everywhere else. */
  readonly member: string;
}

/** etcd writes `memberID:123 alarm:NOSPACE`. */
function alarmsIn(errors: readonly string[]): ShownAlarm[] {
  return errors.flatMap((text) => {
    const type = /\balarm:([A-Z]+)/.exec(text)?.[1];
    const member = /\bmemberID:(\d+)/.exec(text)?.[1];
    return type === undefined ? [] : [{ type, member: BigInt(member ?? 0).toString(16) }];
  });
}

function effectOf(type: string): string {
  if (type === 'NOSPACE') return 'writes and leases are refused until "talosctl etcd alarm disarm"';
  return type === 'CORRUPT' ? 'the data of the members differ' : 'see the documentation of etcd';
}

/** Undefined without a quota. */
function quotaIn(spec: Pick<EtcdSpecSpec, 'extraArgs'> | undefined): number | undefined {
  const quota = Number(spec?.extraArgs['quota-backend-bytes']?.values.at(-1) ?? 0);
  if (quota < 0) return undefined;
  return quota > 0 ? quota : defaultQuotaBytes;
}

const mib = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;

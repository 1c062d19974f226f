import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { duration, field, text, time } from '../../spec/field-types.ts';
import { filesystemType } from './enumerations.ts';

/** Schedules for trimming file systems (discard of free blocks), by volume. */
export const volumeTrimSchedules = defineKind({
  type: 'VolumeTrimSchedules.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Filesystem: '{.filesystem}',
    Interval: '{.interval}',
    'Next Trim': '{.nextTrim}',
  },
  spec: {
    filesystem: field(1, filesystemType),
    interval: field(2, duration),
    nextTrim: field(3, time),
  },
});
export type VolumeTrimScheduleSpec = SpecOf<typeof volumeTrimSchedules>;

/** Schedules for scrubbing (checking) file systems, by volume. */
export const fsScrubSchedules = defineKind({
  type: 'FSScrubSchedules.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Filesystem: '{.filesystem}',
    Interval: '{.interval}',
    'Next Scrub': '{.nextScrub}',
  },
  spec: {
    filesystem: field(1, filesystemType),
    interval: field(2, duration),
    nextScrub: field(3, time),
  },
});
export type FsScrubScheduleSpec = SpecOf<typeof fsScrubSchedules>;

/** Result of the last scrub of each file system, by volume. */
export const fsScrubStatuses = defineKind({
  type: 'FSScrubStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Mountpoint: '{.mountpoint}',
    Interval: '{.interval}',
    'Latest start time': '{.time}',
    'Latest run duration': '{.duration}',
    'Latest status': '{.status}',
  },
  spec: {
    mountpoint: field(1, text),
    interval: field(2, duration),
    time: field(3, time),
    /** Duration of the last run. */
    duration: field(4, duration),
    /** `success` or an error text. */
    status: field(5, text),
  },
});
export type FsScrubStatusSpec = SpecOf<typeof fsScrubStatuses>;

/** Who sent an event: the kernel, or udevd after its rules have run. */
export type EventSource = 'kernel' | 'udevd';

/** An event of a device, as it arrived. Its properties are kept as bytes, which take far less memory than a map of texts. */
export interface DeviceEvent {
  readonly source: EventSource;
  /** `add`, `remove`, `change` and so on. */
  readonly action: string;
  /** Path below `/sys`. */
  readonly path: string;
  readonly subsystem: string;
  /** `KEY=VALUE` texts, each terminated by a NUL byte. */
  readonly properties: Buffer;
}

/** Why events are missing between two others. */
export type GapReason = 'kernel-dropped' | 'history-too-short' | 'other-history';

import type { LogEvent } from './log-event.ts';

/** The fields of a record that are not part of its event. */
export interface RecordTags {
  /** The id of the log; `undefined` for the kernel's log. */
  readonly service?: string;
  /** Tags of the destination, which replace fields of the same name. */
  readonly extraTags: Readonly<Record<string, string>>;
}

/**
 * Encodes an event as a JSON object for a destination, without a line break; `undefined` if it is nested too
 * deeply. Source: Talos v1.14: log destinations, `json_lines`.
 */
export function encodeLogRecord(event: LogEvent, { service, extraTags }: RecordTags): string | undefined {
  const { fields, message, time, level } = event;
  try {
    return JSON.stringify({
      ...fields,
      msg: message,
      'talos-time': time,
      'talos-level': level,
      ...(service !== undefined && { 'talos-service': service }),
      ...extraTags,
    });
  } catch {
    return undefined;
  }
}

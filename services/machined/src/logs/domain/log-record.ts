import type { LogEvent } from './log-event.ts';

/** What stands in a record beside the event. */
export interface RecordTags {
  /** The id of the log; none for the kernel's. */
  readonly service?: string;
  /** Of the destination: they win over everything. */
  readonly extraTags: Readonly<Record<string, string>>;
}

/**
 * The JSON object that a destination gets for an event, without a line break; undefined when it cannot be written as
 * one (too deep). Source: Talos v1.14: log destinations, `json_lines`.
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

import { grpcCodeName } from '@nodewright/fault';
import type { GrpcStatus } from '@nodewright/h2';
import { type EncodedFields, encodeFields, LevelLines, type Logger, type Span } from '@nodewright/telemetry';

/** Number of gRPC status codes. */
const statusCodes = 17;

/** What differs from line to line. */
export interface FinishedCall {
  readonly status: GrpcStatus;
  /** The call has only read what `os:reader` may read, and succeeded. */
  readonly isRoutine: boolean;
  readonly durationMs: number;
  /** Number of lines about failed calls of this caller that were omitted before this one. */
  readonly linesLeftOut: number;
  /** Gives the line its trace ids; `undefined` without a trace. */
  readonly span: Span | undefined;
}

/** Writes the line about each finished call: at `debug` about routine calls, so that watching a cluster does not fill its logs. */
export class RequestLog {
  readonly #lines: LevelLines;
  readonly #routineLines: LevelLines;
  /** The fields up to the duration, for each status code. */
  readonly #codes: readonly EncodedFields[] = Array.from({ length: statusCodes }, (_, code) =>
    fieldsOf(code),
  );

  constructor(log: Logger) {
    this.#lines = new LevelLines(log, 'info', 'request finished');
    this.#routineLines = new LevelLines(log, 'debug', 'request finished');
  }

  /** Whether the line of such a call is written; otherwise nothing of it needs to be prepared. */
  isOn(isRoutine: boolean): boolean {
    return (isRoutine ? this.#routineLines : this.#lines).isOn;
  }

  /** @param common fields that calls with the same headers share */
  write(common: EncodedFields, call: FinishedCall): void {
    const { status, isRoutine, durationMs, linesLeftOut, span } = call;
    const { code, message } = status;
    const lines = isRoutine ? this.#routineLines : this.#lines;
    lines.begin();
    lines.append(common);
    lines.append(this.#codes[code] ?? fieldsOf(code));
    lines.appendThousandths(Math.round(durationMs * 1000));
    if (code !== 0 || linesLeftOut !== 0 || span?.traceId !== undefined) {
      lines.append(
        encodeFields({
          error: code === 0 ? undefined : message,
          linesLeftOut: linesLeftOut === 0 ? undefined : linesLeftOut,
          trace_id: span?.traceId,
          span_id: span?.traceId === undefined ? undefined : span.spanId,
        }),
      );
    }
    lines.end();
  }
}

function fieldsOf(code: number): EncodedFields {
  return Buffer.concat([encodeFields({ code: grpcCodeName(code) }), Buffer.from(',"durationMs":')]);
}

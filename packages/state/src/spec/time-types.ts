import { message } from './composite-types.ts';
import { durationText } from './duration-text.ts';
import { field } from './field.ts';
import type { FieldType } from './field-type.ts';
import { PlainScalar } from './plain-scalar.ts';
import { int32, int64 } from './scalar-types.ts';

const secondsMessage = message({ seconds: field(1, int64), nanos: field(2, int32) });

const nsPerSecond = 1_000_000_000n;

/** A duration in milliseconds, possibly with a fraction. In YAML `1m30s`. */
export const duration: FieldType<number> = {
  shape: { word: 'duration' },
  empty: 0,
  isEmpty: (value) => value === 0,
  toYaml: (value) => durationText(value),
  write(writer, number, value) {
    const ns = BigInt(Math.round(value * 1e6));
    // The remainder has the sign of the dividend, as the message requires.
    const [seconds, nanos] = [Number(ns / nsPerSecond), Number(ns % nsPerSecond)];
    secondsMessage.write(writer, number, { seconds, nanos });
  },
  read(reader, wireType) {
    const { seconds, nanos } = secondsMessage.read(reader, wireType, secondsMessage.empty);
    return seconds * 1000 + nanos / 1e6;
  },
};

/** The value for "never": the zero time of Go, midnight on January 1 of year 1. */
const neverSeconds = -62_135_596_800;

/** Unix milliseconds, or `undefined` for never. In YAML RFC 3339 in UTC. */
export const time: FieldType<number | undefined> = {
  shape: { word: 'time' },
  empty: undefined,
  isEmpty: (value) => value === undefined,
  toYaml: (value) => new PlainScalar(timeText(value)),
  write(writer, number, value) {
    const seconds = Math.floor((value as number) / 1000);
    const nanos = Math.round(((value as number) - seconds * 1000) * 1e6);
    secondsMessage.write(writer, number, { seconds, nanos });
  },
  read(reader, wireType) {
    const { seconds, nanos } = secondsMessage.read(reader, wireType, secondsMessage.empty);
    return seconds === neverSeconds ? undefined : seconds * 1000 + nanos / 1e6;
  },
};

/** Formats a time, with fractions of a second only if they are not zero. */
function timeText(value: number | undefined): string {
  if (value === undefined) return '0001-01-01T00:00:00Z';
  return new Date(value).toISOString().replace(/\.?0*Z$/, 'Z');
}

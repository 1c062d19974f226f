import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import fc from 'fast-check';
import { encodeFields, LevelLines } from './level-lines.ts';
import { createLogger } from './logger.ts';
import { noTelemetry } from './no-telemetry.ts';

function openLog(level: string, takesBytes: boolean) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const writeBytes = (bytes: Uint8Array, length: number) =>
    void lines.push(Buffer.from(bytes.subarray(0, length)).toString());
  const destination = takesBytes ? { write, writeBytes } : { write };
  return { lines, log: createLogger({ name: 'näme "1"', telemetry: noTelemetry, level, destination }) };
}

const text = fc.string({ unit: 'binary' });
const value = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(undefined), fc.array(text));
const key = fc.stringMatching(/^[a-z_]{1,12}$/).map((name) => `x${name}`);
const level = fc.constantFrom('debug' as const, 'info' as const);
const thousandths = fc.oneof(fc.nat(), fc.nat({ max: 20_000 }), fc.maxSafeInteger());
/** Milliseconds to the next line. */
const pauseMs = fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 10_000 }), fc.nat({ max: 1e12 }));

test('LevelLines writes the lines that the log writes for the same fields', () => {
  const line = fc.record({
    common: fc.dictionary(key, value, { noNullPrototype: true }),
    number: thousandths,
    further: fc.dictionary(key, value, { noNullPrototype: true }),
    pauseMs,
  });
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 6 }),
      fc.boolean(),
      text,
      level,
      (cases, takesBytes, message, at) => {
        const { lines, log } = openLog('debug', takesBytes);
        const composed = new LevelLines(log, at, message);
        let now = 1_700_000_000_000;
        const clock = mock.method(Date, 'now', () => now);
        try {
          for (const { common, number, further, pauseMs: pause } of cases) {
            now += pause;
            assert.equal(composed.isOn, true);
            composed.begin();
            composed.append(encodeFields(common));
            composed.append(Buffer.from(',"durationMs":'));
            composed.appendThousandths(number);
            composed.append(encodeFields(further));
            composed.end();
            log.child(common)[at]({ durationMs: number / 1000, ...further }, message);
            const [ours, theirs] = lines.splice(0);
            assert.equal(ours, theirs);
          }
        } finally {
          clock.mock.restore();
        }
      },
    ),
  );
});

test('encodeFields() returns bytes with memory of their own', () => {
  const bytes = encodeFields({ method: 'Version' });
  assert.equal(bytes.buffer.byteLength, bytes.length);
});

test('LevelLines is off when the level of the log is above its own', () => {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
  const isOn = (own: 'debug' | 'info') =>
    levels.map((of) => new LevelLines(openLog(of, true).log, own, 'done').isOn);
  assert.deepEqual(isOn('info'), [true, true, true, false, false, false]);
  assert.deepEqual(isOn('debug'), [true, true, false, false, false, false]);
});

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { grpcCodeName } from '@nodewright/fault';
import { createLogger, encodeFields, noTelemetry } from '@nodewright/telemetry';
import fc from 'fast-check';
import { RequestLog } from './request-log.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const text = fc.string({ unit: 'binary' });
const call = fc.record({
  isRoutine: fc.boolean(),
  status: fc.record({ code: fc.integer({ min: 0, max: 20 }), message: text }),
  durationMs: fc.oneof(
    fc.double({ min: 0, max: 20, noNaN: true }),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
  ),
  linesLeftOut: fc.nat({ max: 3 }),
  parent: fc.constantFrom(undefined, traceparent, 'malformed'),
});

test('RequestLog writes the lines that the log of the daemon would write', () => {
  const lines: string[] = [];
  const log = createLogger({
    name: 'apid',
    telemetry: noTelemetry,
    level: 'debug',
    destination: { write: (line) => void lines.push(line) },
  });
  const requests = new RequestLog(log);
  const fields = fc.record(
    { method: text, metadata: fc.dictionary(text, text), roles: fc.array(text) },
    // The log refuses objects without a prototype.
    { noNullPrototype: true },
  );
  mock.method(Date, 'now', () => 1_700_000_000_000);
  fc.assert(
    fc.property(fields, call, (common, { status, isRoutine, durationMs, linesLeftOut, parent }) => {
      const span = parent === undefined ? undefined : noTelemetry.startSpan('x', { parent });
      requests.write(encodeFields(common), { status, isRoutine, durationMs, linesLeftOut, span });
      const facts = {
        code: grpcCodeName(status.code),
        durationMs: Math.round(durationMs * 1000) / 1000,
        ...(status.code === 0 ? {} : { error: status.message }),
        ...(linesLeftOut === 0 ? {} : { linesLeftOut }),
      };
      const write = () => log.child(common)[isRoutine ? 'debug' : 'info'](facts, 'request finished');
      if (span === undefined) write();
      else noTelemetry.withSpan(span, write);
      const [ours, theirs] = lines.splice(0);
      assert.equal(ours, theirs);
    }),
  );
  mock.restoreAll();
});

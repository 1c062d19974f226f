// h2spec over TLS against the listener of apid.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Authority, engineName, startGateway } from '../gateway/start-gateway.ts';
import { ensureOutsideProgram } from '../go-programs.ts';
import { type Answering, exceptions, knownFailures, sections } from './exceptions.ts';
import { judgeCase, unknownExceptions } from './judge.ts';
import { type CaseOutcome, readReport } from './read-report.ts';

const h2spec = ensureOutsideProgram('h2spec');
const folder = mkdtempSync(join(tmpdir(), 'h2spec-'));
after(() => rmSync(folder, { recursive: true, force: true }));
/** The number of cases of h2spec 2.2.1 in these sections, with its strict ones. */
const allCases: Readonly<Record<Answering, number>> = { apid: 51, bodies: 146 };

async function runCases(authority: Authority, answering: Answering): Promise<CaseOutcome[]> {
  await using gateway = await startGateway({
    authority,
    folder: join(folder, answering),
    backend: join(folder, 'no-backend.sock'),
    isOpen: true,
    answersBodies: answering === 'bodies',
  });
  const report = join(folder, `${answering}.xml`);
  const target = ['-h', '127.0.0.1', '-p', String(gateway.port), '--tls', '--insecure'];
  // It exits with 1 when a case fails.
  await new Promise((ended) =>
    execFile(h2spec, [...target, '--strict', '--junit-report', report, ...sections[answering]], ended),
  );
  return readReport(readFileSync(report, 'utf8'));
}

const authority = await Authority.create();
const kinds = ['apid', 'bodies'] as const;
const reports = await Promise.all(kinds.map((answering) => runCases(authority, answering)));

for (const [index, answering] of kinds.entries()) {
  const report = reports[index] ?? [];
  const listed = { ...exceptions[answering], ...knownFailures[engineName]?.[answering] };
  const place = `${answering === 'apid' ? 'apid' : 'a web server'} on the engine ${engineName}`;
  for (const outcome of report) {
    const reason = listed[outcome.name];
    test(`${place}: ${outcome.name}${reason === undefined ? '' : ` (exception: ${reason})`}`, () =>
      assert.equal(judgeCase(outcome, listed), undefined));
  }
  test(`${place}: h2spec has run every case, and each exception is one of them`, () => {
    assert.equal(report.length, allCases[answering]);
    assert.deepEqual(unknownExceptions(report, listed), []);
  });
}

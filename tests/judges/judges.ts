// `make judges`: asks programs of others whether our things are right, and writes their verdicts to docs/judges.md. `BROKEN=1` gives each
// of them a subject that is broken on purpose. In CI only the quick ones are asked, and none is skipped. `ONLY=sgdisk,nmap` asks some.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@nodewright/files';
import { readResults, reportCounts } from '../../tools/suites/suite-results.ts';
import { askJudges } from './ask-judges.ts';
import { openBench } from './bench.ts';
import { expectedFindings } from './expected-findings.ts';
import { judges } from './judge-table.ts';
import type { Row } from './row.ts';
import { suiteJudges, suiteRow } from './suite-rows.ts';
import { findTool } from './tool.ts';
import { verdictsDocument } from './verdicts-document.ts';

const isBroken = (process.env.BROKEN ?? '') !== '';
const isCi = (process.env.CI ?? '') !== '';
const only = (process.env.ONLY ?? '').split(',').filter((name) => name !== '');
const unknown = only.filter((name) => judges.every((judge) => judge.name !== name));
if (unknown.length > 0) {
  process.stderr.write(
    `judges: there is no judge ${unknown.join(', ')}: ${judges.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

const widths = { name: 18, version: 10, subject: 50 };
const tell = (row: Row) => {
  const cells = [
    row.name.padEnd(widths.name),
    row.version.padEnd(widths.version),
    row.subject.padEnd(widths.subject),
  ];
  process.stdout.write(`${cells.join('  ')}  ${row.state}: ${row.verdict}\n`);
  for (const finding of row.findings) process.stdout.write(`    ${finding.replaceAll('\n', '\n    ')}\n`);
};

await using bench = await openBench();
const asked = judges.filter(
  ({ name, isQuick }) => (isQuick || !isCi) && (only.length === 0 || only.includes(name)),
);
if (asked.length === 0) throw new Error(`no judge is asked${isCi ? ' in CI' : ''}: ${only.join(', ')}`);
const rows = await askJudges({
  ...{ judges: asked, expected: expectedFindings, bench, findTool, isBroken, tell },
  // A judge that was not asked has refused nothing.
  isStrict: isCi || isBroken,
  date: new Date().toISOString().slice(0, 10),
});
if (!isBroken && only.length === 0) {
  const results = readResults(bench.checkout);
  // CI counts its suites itself.
  const ofSuites = suiteJudges.map((judge) => suiteRow(judge, results));
  for (const row of ofSuites) tell(row);
  if (!isCi) {
    rows.push(...ofSuites);
    const path = join(bench.checkout, 'docs', 'judges.md');
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    await writeFileAtomically(path, verdictsDocument(rows, expectedFindings, before));
  }
}
const count = (state: Row['state']) => rows.filter((row) => row.state === state).length;
const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
await reportCounts(counts);
for (const { name, subject, verdict } of rows.filter(({ state }) => state === 'failed'))
  process.stdout.write(`failed: ${name}, ${subject}: ${verdict}\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
if (counts.failed > 0) process.exitCode = 1;

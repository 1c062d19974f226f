// What others say of the certificates of a node, of its authorities and of an administrator.
import { writeFileSync } from 'node:fs';
import type { Bench } from '../bench.ts';
import { type Finding, type Judge, judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool } from '../tool.ts';
import { type IssuedCertificate, nodeUnderTest } from './node-under-test.ts';
import { laxCertificates } from './weak-server.ts';

const subject = 'certificates of a node, an administrator and the authorities';

function fileOf(bench: Bench, pem: string): string {
  const path = bench.newPath('certificate.pem');
  writeFileSync(path, pem);
  return path;
}

/** What zlint prints for a certificate: the result of each rule. */
export function findingsOfZlint(name: string, report: string): Finding[] {
  const rules = Object.entries(JSON.parse(report) as Readonly<Record<string, { readonly result: string }>>);
  if (!rules.some(([, { result }]) => result === 'pass')) return [{ id: `${name}: not judged` }];
  return rules
    .filter(([, { result }]) => ['warn', 'error', 'fatal'].includes(result))
    .map(([rule, { result }]) => ({ id: `${name}: ${result} ${rule}` }));
}

export const certificates: readonly Judge[] = [
  judgeOf<readonly IssuedCertificate[]>({
    name: 'openssl verify -x509_strict',
    subject,
    tool: debianTool('openssl', 'openssl', /OpenSSL (\S+)/, ['version']),
    isQuick: true,
    ours: async (bench) => (await nodeUnderTest(bench)).certificates,
    broken: laxCertificates,
    async ask(all, { path }, bench) {
      const findings: Finding[] = [];
      for (const { name, certificate, authority, purpose } of all) {
        const words = ['verify', '-x509_strict', ...(purpose ? ['-purpose', purpose] : [])];
        const files = ['-CAfile', fileOf(bench, authority), fileOf(bench, certificate)];
        const { exitCode, stdout, stderr } = await runProgram(path, [...words, ...files]);
        if (exitCode !== 0) findings.push({ id: `${name}: not verified`, text: `${stdout}${stderr}`.trim() });
      }
      return findings;
    },
  }),
  judgeOf<readonly IssuedCertificate[]>({
    name: 'zlint',
    subject,
    tool: { kind: 'go', program: 'zlint' },
    isQuick: false,
    ours: async (bench) => (await nodeUnderTest(bench)).certificates,
    broken: laxCertificates,
    async ask(all, { path }, bench) {
      const findings: Finding[] = [];
      for (const { name, certificate } of all) {
        // The other rules are those of authorities that browsers trust.
        const words = ['-includeSources', 'RFC5280,RFC5480,RFC5891,RFC8813', fileOf(bench, certificate)];
        const { exitCode, stdout, stderr } = await runProgram(path, words);
        if (exitCode !== 0) throw new Error(`zlint: ${stderr.trim()}`);
        findings.push(...findingsOfZlint(name, stdout));
      }
      return findings;
    },
  }),
];

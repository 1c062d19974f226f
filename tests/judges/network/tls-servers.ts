// What scanners say of the servers of a node. They reach them on loopback only.
import { readFileSync } from 'node:fs';
import { type Finding, type Judge, judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool, pythonTool } from '../tool.ts';
import { type Listener, nodeUnderTest } from './node-under-test.ts';
import { weakListeners } from './weak-server.ts';

const subject = 'TLS of apid and trustd';
const nmapScans = 3;

/** What `nmap -oX - --script ssl-enum-ciphers` says of a port. */
export function findingsOfNmap(name: string, xml: string): Finding[] {
  if (!xml.includes('state="open"')) return [{ id: `${name}: does not listen` }];
  const versions = [...xml.matchAll(/<table key="(SSLv\d|TLSv[\d.]+)">/g)].map(([, version = '']) => version);
  const warnings = [...xml.matchAll(/<table key="warnings">(.*?)<\/table>/gs)].flatMap(([, table = '']) =>
    [...table.matchAll(/<elem>(.*?)<\/elem>/g)].map(([, text = '']) => text),
  );
  const [, strength = 'unknown'] = /<elem key="least strength">(.*?)<\/elem>/.exec(xml) ?? [];
  return [
    ...(versions.includes('TLSv1.3') ? [] : [{ id: `${name}: no TLSv1.3` }]),
    ...versions.filter((version) => version !== 'TLSv1.3').map((version) => ({ id: `${name}: ${version}` })),
    ...warnings.map((warning) => ({ id: `${name}: ${warning}` })),
    ...(strength === 'A' ? [] : [{ id: `${name}: least strength ${strength}` }]),
  ];
}

type Attempts = Readonly<Record<string, { readonly status: string; readonly result: unknown }>>;

interface SslyzeReport {
  readonly server_scan_results: readonly {
    readonly scan_status: string;
    readonly scan_result: Attempts | null;
  }[];
}

const oldVersions = ['ssl_2_0', 'ssl_3_0', 'tls_1_0', 'tls_1_1', 'tls_1_2'] as const;
/** X25519MLKEM768, which is offered first, is unknown to sslyze 6.3. */
const groups = ['X25519', 'X25519MLKEM768', 'secp256r1', 'secp384r1'];
/** The answers of checks other than those of versions and groups, with their good values. */
const goodAnswers: Readonly<Record<string, readonly [field: string, good: unknown]>> = {
  tls_compression: ['supports_compression', false],
  tls_1_3_early_data: ['supports_early_data', false],
  openssl_ccs_injection: ['is_vulnerable_to_ccs_injection', false],
  heartbleed: ['is_vulnerable_to_heartbleed', false],
  robot: ['robot_result', 'NOT_VULNERABLE_RSA_NOT_SUPPORTED'],
  session_renegotiation: ['is_vulnerable_to_client_renegotiation_dos', false],
};

/** What a report of sslyze about one server says. A check that was not done is a finding, too. */
export function findingsOfSslyze(name: string, report: string): Finding[] {
  const [server] = (JSON.parse(report) as SslyzeReport).server_scan_results;
  const attempts = server?.scan_result;
  if (server?.scan_status !== 'COMPLETED' || !attempts) return [{ id: `${name}: not scanned` }];
  const resultOf = (check: string) =>
    (attempts[check]?.result ?? undefined) as Record<string, unknown> | undefined;
  const accepted = (version: string) => resultOf(`${version}_cipher_suites`)?.is_tls_version_supported;
  const curves = resultOf('elliptic_curves')?.supported_curves as
    | readonly { readonly name: string }[]
    | undefined;
  return [
    ...oldVersions
      .filter((version) => accepted(version) !== false)
      .map((version) => ({ id: `${name}: ${version}` })),
    ...(accepted('tls_1_3') === true ? [] : [{ id: `${name}: no tls_1_3` }]),
    ...(curves?.length ? [] : [{ id: `${name}: no group` }]),
    ...(curves ?? [])
      .filter((curve) => !groups.includes(curve.name))
      .map((curve) => ({ id: `${name}: group ${curve.name}` })),
    ...Object.entries(goodAnswers)
      .filter(([check, [field, good]]) => resultOf(check)?.[field] !== good)
      .map(([check, [field]]) => ({ id: `${name}: ${check} ${field} ${String(resultOf(check)?.[field])}` })),
  ];
}

const scans = ['sslv2', 'sslv3', 'tlsv1', 'tlsv1_1', 'tlsv1_2', 'tlsv1_3', 'elliptic_curves', 'compression'];
const attacks = ['early_data', 'openssl_ccs', 'heartbleed', 'robot', 'reneg'];

export const tlsServers: readonly Judge[] = [
  judgeOf<readonly Listener[]>({
    name: 'nmap',
    subject,
    tool: debianTool('nmap', 'nmap', /version (\S+)/),
    isQuick: true,
    ours: async (bench) => (await nodeUnderTest(bench)).listeners,
    broken: weakListeners,
    async ask(listeners, { path }) {
      const findings: Finding[] = [];
      for (const { name, address, port } of listeners) {
        const words = ['-Pn', '-n', '-oX', '-', '-p', String(port), '--script', 'ssl-enum-ciphers', address];
        // On a busy machine it gives up on a server that is slow, and says nothing about it.
        let xml = '';
        for (let scans = 0; scans < nmapScans && !xml.includes('<table key="TLSv'); scans += 1) {
          const { exitCode, stdout, stderr } = await runProgram(path, words);
          if (exitCode !== 0) throw new Error(`nmap: ${stderr.trim()}`);
          xml = stdout;
        }
        findings.push(...findingsOfNmap(name, xml));
      }
      return findings;
    },
  }),
  judgeOf<readonly Listener[]>({
    name: 'sslyze',
    subject,
    tool: pythonTool('sslyze', 'sslyze'),
    isQuick: false,
    ours: async (bench) => (await nodeUnderTest(bench)).listeners,
    broken: weakListeners,
    async ask(listeners, { path }, bench) {
      const findings: Finding[] = [];
      for (const { name, address, port } of listeners) {
        const report = bench.newPath('sslyze.json');
        const checks = [...scans, ...attacks].map((check) => `--${check}`);
        const options = ['--mozilla_config', 'disable', '--quiet', '--slow_connection', '--json_out', report];
        const { stdout, stderr } = await runProgram(path, [...checks, ...options, `${address}:${port}`]);
        try {
          findings.push(...findingsOfSslyze(name, readFileSync(report, 'utf8')));
        } catch (error) {
          throw new Error(`sslyze has no verdict: ${`${stdout}${stderr}`.trim()}`, { cause: error });
        }
      }
      return findings;
    },
  }),
];

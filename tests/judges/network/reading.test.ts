// How the reports of programs are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsOfZlint } from './certificates.ts';
import { findingsOfNmap, findingsOfSslyze } from './tls-servers.ts';

const open = '<port><state state="open" reason="syn-ack"/>';
const scanned = (versions: readonly string[], more = '', strength = 'A') =>
  `${open}${versions.map((version) => `<table key="${version}">${more}</table>`).join('')}<elem key="least strength">${strength}</elem>`;
const idsOf = (findings: readonly { readonly id: string }[]) => findings.map(({ id }) => id);

test('findingsOfNmap() wants TLS 1.3 alone, without a warning and with strong ciphers', () => {
  assert.deepEqual(findingsOfNmap('apid', scanned(['TLSv1.3'])), []);
  const warnings = '<table key="warnings"><elem>64-bit block cipher</elem></table>';
  assert.deepEqual(idsOf(findingsOfNmap('apid', scanned(['TLSv1.2', 'TLSv1.3'], '', 'C'))), [
    'apid: TLSv1.2',
    'apid: least strength C',
  ]);
  assert.deepEqual(idsOf(findingsOfNmap('apid', scanned(['TLSv1.3'], warnings))), [
    'apid: 64-bit block cipher',
  ]);
});

test('findingsOfNmap() takes a server that was not scanned for no good one', () => {
  assert.deepEqual(idsOf(findingsOfNmap('apid', '<port><state state="closed"/>')), ['apid: does not listen']);
  assert.deepEqual(idsOf(findingsOfNmap('apid', open)), ['apid: no TLSv1.3', 'apid: least strength unknown']);
});

const suites = (isSupported: boolean) => ({
  status: 'COMPLETED',
  result: { is_tls_version_supported: isSupported },
});
const good = {
  ...{ ssl_2_0_cipher_suites: suites(false), ssl_3_0_cipher_suites: suites(false) },
  ...{ tls_1_0_cipher_suites: suites(false), tls_1_1_cipher_suites: suites(false) },
  ...{ tls_1_2_cipher_suites: suites(false), tls_1_3_cipher_suites: suites(true) },
  tls_compression: { result: { supports_compression: false } },
  tls_1_3_early_data: { result: { supports_early_data: false } },
  openssl_ccs_injection: { result: { is_vulnerable_to_ccs_injection: false } },
  heartbleed: { result: { is_vulnerable_to_heartbleed: false } },
  robot: { result: { robot_result: 'NOT_VULNERABLE_RSA_NOT_SUPPORTED' } },
  session_renegotiation: { result: { is_vulnerable_to_client_renegotiation_dos: false } },
  elliptic_curves: { result: { supported_curves: [{ name: 'X25519' }, { name: 'secp256r1' }] } },
};
const reportOf = (attempts: object | null, status = 'COMPLETED') =>
  JSON.stringify({ server_scan_results: [{ scan_status: status, scan_result: attempts }] });

test('findingsOfSslyze() lists old versions, other groups and bad answers', () => {
  assert.deepEqual(findingsOfSslyze('apid', reportOf(good)), []);
  const bad = {
    ...good,
    tls_1_2_cipher_suites: suites(true),
    tls_1_3_early_data: { result: { supports_early_data: true } },
    elliptic_curves: { result: { supported_curves: [{ name: 'X448' }] } },
  };
  assert.deepEqual(idsOf(findingsOfSslyze('apid', reportOf(bad))), [
    'apid: tls_1_2',
    'apid: group X448',
    'apid: tls_1_3_early_data supports_early_data true',
  ]);
});

test('findingsOfSslyze() finds something when any check was not done', () => {
  for (const check of Object.keys(good))
    assert.notDeepEqual(
      findingsOfSslyze('apid', reportOf({ ...good, [check]: { result: null } })),
      [],
      check,
    );
  assert.deepEqual(idsOf(findingsOfSslyze('apid', reportOf(null, 'ERROR_NO_CONNECTIVITY'))), [
    'apid: not scanned',
  ]);
});

test('findingsOfZlint() lists warnings and errors, and a certificate that no rule was about', () => {
  const report = {
    e_a: { result: 'pass' },
    w_b: { result: 'warn' },
    e_c: { result: 'error' },
    e_d: { result: 'NA' },
  };
  assert.deepEqual(idsOf(findingsOfZlint('apid', JSON.stringify(report))), [
    'apid: warn w_b',
    'apid: error e_c',
  ]);
  assert.deepEqual(idsOf(findingsOfZlint('apid', '{"e_a": {"result": "NA"}}')), ['apid: not judged']);
});

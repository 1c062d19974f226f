import assert from 'node:assert/strict';
import { generateCertificateAuthority } from '@nodewright/pki';
import { loadConfiguration } from '../decode/load-configuration.ts';
import type { ValidateOptions } from './validate-configuration.ts';
import { validateConfiguration } from './validate-configuration.ts';

// Helpers for tests of validation.

/** Generates a certificate with its key, and a second key that does not belong to it, as PEM. */
export async function sampleAuthority() {
  const notBefore = new Date('2026-01-02T03:04:05Z');
  const [authority, other] = await Promise.all([
    generateCertificateAuthority({ algorithm: 'ecdsa-p256', notBefore }),
    generateCertificateAuthority({ algorithm: 'ecdsa-p256', notBefore }),
  ]);
  return { certificate: authority.certificate, key: authority.key, otherKey: other.key };
}

/** Returns the text of one document. */
export function documentText(kind: string, body: string): string {
  return `apiVersion: v1alpha1\nkind: ${kind}\n${body.trim()}\n`;
}

/** Returns the errors and warnings about the documents, without positions. */
export function verdict(texts: readonly string[], options: Partial<ValidateOptions> = {}) {
  const configuration = loadConfiguration(texts.join('---\n'));
  const { warnings, errors } = validateConfiguration(configuration, {
    mode: 'cloud',
    local: true,
    ...options,
  });
  const bare = (text: string) => text.replaceAll(/ \(line \d+, column \d+\)/g, '');
  return { warnings: warnings.map(bare), errors: errors.map(bare) };
}

/**
 * Kind and body of a document, and the expected errors (`!`) and warnings (`?`) without the label of the
 * document.
 */
export type Row = readonly [kind: string, body: string, ...findings: string[]];

/** Checks that validation reports exactly the expected errors and warnings for each document. */
export function checkRows(rows: readonly Row[]): void {
  for (const [kind, body, ...expected] of rows) {
    const { warnings, errors } = verdict([documentText(kind, body)]);
    const bare = (text: string) => text.replace(new RegExp(`^${kind}(/\\S*)?: `), '');
    const findings = [
      ...errors.flatMap((error) => bare(error).split('\n')).map((line) => `!${line}`),
      ...warnings.map((line) => `?${bare(line)}`),
    ];
    // Ignore errors about other documents: that a kind needs a control plane, or that discovery needs an
    // identity.
    const own = findings.filter(
      (line) => !line.startsWith('!only for control planes') && !line.startsWith('!discovery needs'),
    );
    assert.deepEqual(own, expected, `${kind}\n${body}`);
  }
}

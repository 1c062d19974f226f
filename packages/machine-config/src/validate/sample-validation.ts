import assert from 'node:assert/strict';
import { generateCertificateAuthority } from '@nodewright/pki';
import { loadConfiguration } from '../decode/load-configuration.ts';
import type { ValidateOptions } from './validate-configuration.ts';
import { validateConfiguration } from './validate-configuration.ts';

// For tests of validation.

/** A certificate with its key, and a second key that does not belong to it; PEM. */
export async function sampleAuthority() {
  const notBefore = new Date('2026-01-02T03:04:05Z');
  const [authority, other] = await Promise.all([
    generateCertificateAuthority({ algorithm: 'ecdsa-p256', notBefore }),
    generateCertificateAuthority({ algorithm: 'ecdsa-p256', notBefore }),
  ]);
  return { certificate: authority.certificate, key: authority.key, otherKey: other.key };
}

/** The text of one document. */
export function documentText(kind: string, body: string): string {
  return `apiVersion: v1alpha1\nkind: ${kind}\n${body.trim()}\n`;
}

/** What validation says of the stream, without positions. */
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

/** Kind, body, and what is said of it: `!` begins an error, `?` a warning. The label of the document is left out. */
export type Row = readonly [kind: string, body: string, ...said: string[]];

/** Each document must have exactly that said of it. */
export function checkRows(rows: readonly Row[]): void {
  for (const [kind, body, ...expected] of rows) {
    const { warnings, errors } = verdict([documentText(kind, body)]);
    const bare = (text: string) => text.replace(new RegExp(`^${kind}(/\\S*)?: `), '');
    const said = [
      ...errors.flatMap((error) => bare(error).split('\n')).map((line) => `!${line}`),
      ...warnings.map((line) => `?${bare(line)}`),
    ];
    // What is said of a document by itself only: some kinds are for control planes.
    const own = said.filter(
      (line) => !line.startsWith('!only for control planes') && !line.startsWith('!discovery needs'),
    );
    assert.deepEqual(own, expected, `${kind}\n${body}`);
  }
}

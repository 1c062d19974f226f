import type { RandomSource } from '../random-source.ts';
import type { VersionContract } from '../version-contract.ts';
import { generateSecrets, type KeySource } from './generate-secrets.ts';
import type { SecretsBundle } from './secrets-bundle.ts';

// Deterministic secrets bundles for tests, generated fast. Their "keys" are not real keys.

/** Returns deterministic bytes for a seed (SplitMix32). */
export function seededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  return (sizeBytes) =>
    Uint8Array.from({ length: sizeBytes }, () => {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) & 0xff;
    });
}

/** Creates PEM texts whose body names the requested key. */
export const sampleKeys: KeySource = {
  certificateAuthority: async ({ algorithm, organization, notBefore }) => ({
    certificate: pem('CERTIFICATE', `${algorithm} ${organization} ${notBefore.toISOString()}`),
    key: pem('PRIVATE KEY', `key ${algorithm} ${organization}`),
  }),
  serviceAccountKey: async (algorithm) => ({ key: pem('PRIVATE KEY', `key ${algorithm} service account`) }),
};

function pem(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(body).toString('base64')}\n-----END ${label}-----\n`;
}

export function sampleSecrets(contract?: VersionContract): Promise<SecretsBundle> {
  return generateSecrets({
    now: new Date('2026-01-02T03:04:05Z'),
    contract,
    random: seededRandom(1),
    keys: sampleKeys,
  });
}

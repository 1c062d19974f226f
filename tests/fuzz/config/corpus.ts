import {
  encodeConfiguration,
  generateConfig,
  generateSecrets,
  type KeySource,
  loadConfiguration,
} from '@nodewright/machine-config';
import { documentWithEveryKey } from '../../contract/config/document-with-every-key.ts';
import { readConfigFacts } from '../../contract/config/read-config-facts.ts';

/** Placeholder certificates and keys: no code here parses them. */
const keys: KeySource = {
  certificateAuthority: async ({ organization }) => ({
    certificate: pem('CERTIFICATE', organization),
    key: pem('PRIVATE KEY', organization),
  }),
  serviceAccountKey: async () => ({ key: pem('PRIVATE KEY', 'service account') }),
};

function pem(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(body).toString('base64')}\n-----END ${label}-----\n`;
}

/**
 * Valid configurations to start from: the output of `gen config` for several contracts, with and without
 * comments, and for every kind a document with all of its keys, in YAML style and in JSON style.
 */
export async function makeCorpus(): Promise<readonly string[]> {
  const secrets = await generateSecrets({
    now: new Date(0),
    keys,
    random: (size) => new Uint8Array(size).fill(7),
  });
  const generated = [5, 11, 13, 15].flatMap((minor) =>
    (['controlplane', 'worker'] as const).flatMap((type) =>
      [false, true].map((withComments) =>
        generateConfig({
          secrets,
          clusterName: 'alpha',
          endpoint: 'https://10.5.0.1:6443',
          type,
          contract: { major: 1, minor },
          comments: { docs: withComments, examples: withComments },
        }),
      ),
    ),
  );
  const facts = [...readConfigFacts()].map(([kind, kindKeys]) => documentWithEveryKey(kind, kindKeys));
  return [...generated, ...facts, ...facts.map((text) => encodeConfiguration(loadConfiguration(text)))];
}

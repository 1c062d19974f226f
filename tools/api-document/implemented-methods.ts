import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateCertificateAuthority } from '@nodewright/pki';

const probeTimeoutMs = 60_000;

/** Enough for machined to put its API together: a control plane that is never started. */
async function configuration(): Promise<string> {
  const ca = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore: new Date(),
  });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [
    'version: v1alpha1',
    'machine:',
    '    type: controlplane',
    '    token: abcdef.0123456789abcdef',
    `    ca: { crt: ${base64(ca.certificate)}, key: ${base64(ca.key)} }`,
    'cluster:',
    '    clusterName: document',
    '    controlPlane: { endpoint: "https://127.0.0.1:6443" }',
    '',
  ].join('\n');
}

/**
 * The full names of the methods that have a handler, told by machined of the checkout `root` itself when it has put its
 * API together. Takes a third of a second; nothing listens and nothing is left.
 */
export async function implementedMethods(root: string): Promise<ReadonlySet<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'api-'));
  try {
    const state = join(folder, 'system', 'state');
    await mkdir(state, { recursive: true });
    await writeFile(join(state, 'config.yaml'), await configuration(), { mode: 0o600 });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        ...['--import', join(import.meta.dirname, 'report-implemented.ts')],
        ...[join(root, 'services', 'machined', 'src', 'main.ts'), '--root', folder],
        ...[
          '--mode',
          'process',
          '--hostname',
          'document',
          '--address',
          '127.0.0.1',
          '--services-dir',
          folder,
        ],
      ],
      { timeout: probeTimeoutMs, env: { PATH: process.env.PATH } },
    );
    const report = stdout.split('\n').find((line) => line.startsWith('['));
    if (report === undefined) throw new Error(`machined did not tell its API:\n${stdout}`);
    return new Set(JSON.parse(report) as string[]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

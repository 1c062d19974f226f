import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateCertificateAuthority } from '@nodewright/pki';
import type { ControllerGraph } from '../controller-map/controller-map.ts';
import { declaredControllers, joinControllers } from '../controller-map/declared-controllers.ts';

const probeTimeoutMs = 120_000;

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

export interface MachinedDescription {
  /** The full names of the methods that have a handler. */
  readonly methods: ReadonlySet<string>;
  /** Those of all kinds of nodes. */
  readonly controllers: ControllerGraph;
}

/**
 * Starts machined of the checkout `root` as a control plane until it has put its API together. Takes a third of a
 * second; nothing listens and nothing is left.
 */
export async function describeMachined(root: string): Promise<MachinedDescription> {
  const folder = await mkdtemp(join(tmpdir(), 'api-'));
  try {
    const state = join(folder, 'system', 'state');
    await mkdir(state, { recursive: true });
    await writeFile(join(state, 'config.yaml'), await configuration(), { mode: 0o600 });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        ...['--import', join(import.meta.dirname, 'report-machined.ts')],
        ...[join(root, 'services', 'machined', 'src', 'main.ts'), '--root', folder],
        ...['--mode', 'process', '--hostname', 'document', '--address', '127.0.0.1'],
        // Never started: a node with etcd and Kubernetes has more controllers.
        ...['--services-dir', folder, '--etcd-binary', join(folder, 'etcd'), '--kubernetes-dir', folder],
      ],
      { timeout: probeTimeoutMs, env: { PATH: process.env.PATH } },
    );
    const report = stdout.split('\n').find((line) => line.startsWith('{"methods"'));
    if (report === undefined) throw new Error(`machined did not print its description:\n${stdout}`);
    const { methods, controllers } = JSON.parse(report) as {
      methods: string[];
      controllers: ControllerGraph;
    };
    return {
      methods: new Set(methods),
      controllers: joinControllers(controllers, await declaredControllers(root)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

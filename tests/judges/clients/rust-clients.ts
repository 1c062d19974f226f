// Clients that others have written in Rust, as judges of a node.
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ports } from '@nodewright/contract';
import { decodeSecrets, encodeTalosconfig } from '@nodewright/machine-config';
import { generateCertificateAuthority, tlsPrivateKey } from '@nodewright/pki';
import { openProcessCluster } from '../../cluster/process/process-cluster.ts';
import type { Bench } from '../bench.ts';
import { type Finding, type Judge, judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { rustTool } from '../tool.ts';

/** The node that a client calls, and the folder with what it needs for that. */
interface ClientSubject {
  readonly endpoint: string;
  readonly folder: string;
}

interface Credentials {
  readonly endpoint: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Calls that the node must refuse, and what the client then says. */
const refusals: Readonly<Record<string, RegExp>> = {
  // There is a cluster of etcd already.
  bootstrap: /AlreadyExists/,
  // The document is no YAML.
  apply_configuration: /invalid/i,
  // Its services are processes.
  containers: /no container runtime/,
  stats: /no container runtime/,
};

/** What the program prints: a call that failed is a finding, and so is one that should have been refused, or no call at all. */
export function findingsOfClient(output: string): Finding[] {
  const lines = output.split('\n').filter((line) => line !== '');
  if (lines.length === 0) return [{ id: 'no call was made' }];
  return lines.flatMap((line) => {
    const [, outcome, name = '', text = ''] = /^(ok|failed) ([a-z_]+): (.*)$/.exec(line) ?? [];
    if (outcome === undefined) return [{ id: `not understood: ${line.slice(0, 80)}` }];
    const refusal = refusals[name];
    if (refusal === undefined)
      return outcome === 'failed'
        ? [{ id: `${name} failed`, text }]
        : isFalse(text)
          ? [wrong(name, text)]
          : [];
    return outcome === 'failed' && refusal.test(text) ? [] : [wrong(name, text)];
  });
}

const isFalse = (text: string): boolean => text === 'false' || text === 'Some(false)' || text === '0';
const wrong = (name: string, text: string): Finding => ({ id: `${name} answered wrongly`, text });

/** A control plane of processes with a real etcd, and an administrator of it. */
function credentials(bench: Bench): Promise<Credentials> {
  return bench.once('node of clients', async (scope) => {
    const shape = { controlPlanes: 1, workers: 0 };
    const cluster = scope.use(await openProcessCluster(shape, { name: 'clients', etcd: true }));
    const { certs } = decodeSecrets(await readFile(join(cluster.view.folder, 'secrets.yaml'), 'utf8'));
    const { crt, key } = await cluster.context('os:admin');
    const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();
    const endpoint = `https://${cluster.controlPlanes[0]?.address}:${ports.apid}`;
    return { endpoint, ca: certs.os.certificate, certificate: decode(crt), key: decode(key?.reveal()) };
  });
}

function write(bench: Bench, { endpoint, ca, certificate, key }: Credentials): ClientSubject {
  const folder = bench.newPath('client');
  mkdirSync(folder, { mode: 0o700 });
  const talosconfig = encodeTalosconfig({
    ...{ clusterName: 'clients', endpoints: [new URL(endpoint).host], nodes: [new URL(endpoint).hostname] },
    ...{ ca, certificate, key },
  });
  // One of the clients knows only the label of PKCS #8, not that of upstream, `ED25519 PRIVATE KEY`.
  const files = { 'ca.crt': ca, 'client.crt': certificate, 'client.key': tlsPrivateKey(key), talosconfig };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return { endpoint, folder };
}

const client = (name: string, version: string): Judge =>
  judgeOf<ClientSubject>({
    name: `${name} (Rust)`,
    subject: 'a control plane, called by a client of others',
    tool: rustTool(join('tests', 'judges', 'clients', 'program'), 'rust-clients', version),
    isQuick: false,
    ours: async (bench) => write(bench, await credentials(bench)),
    // The node cannot show a certificate of this authority: a client that answers all the same looks at none.
    broken: async (bench) => {
      const { certificate: ca } = await generateCertificateAuthority({
        ...{ algorithm: 'ed25519', organization: 'stranger', notBefore: new Date() },
      });
      return write(bench, { ...(await credentials(bench)), ca });
    },
    async ask({ endpoint, folder }, { path }) {
      const { exitCode, stdout, stderr } = await runProgram(path, [name, endpoint, folder]);
      if (exitCode !== 0) throw new Error(`${name}: ${stderr.trim()}`);
      return findingsOfClient(stdout);
    },
  });

export const rustClients: readonly Judge[] = [
  client('talos-api-rs', '0.2.0'),
  client('talos-rust-client', '0.1.3'),
];

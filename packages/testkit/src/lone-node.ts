import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { eventually } from './eventually.ts';
import { isServing } from './is-serving.ts';
import { type DaemonProcess, spawnDaemon } from './spawn-daemon.ts';

export interface LoneNodeInit {
  /**
   * Folder with the bundles of the other daemons, each as `<name>/<name>.cjs`. Default: the output of `make
   * build`.
   */
  readonly servicesFolder?: string;
  /** The program of machined. Default: the one that `spawnDaemon` finds. */
  readonly program?: string;
  /** Flags of Node.js for machined. */
  readonly nodeFlags?: readonly string[];
  /** The working folder of machined. Default: a new empty folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The address of the only control plane, which makes the node a worker. Default: the node is a control plane. */
  readonly workerOf?: string;
  /** Whether machined starts with its configuration (the default) or waits for one. */
  readonly isConfigured?: boolean;
}

/**
 * One node of real daemons: machined with its apid and udevd-bridge, on its own loopback address, and as a control plane also with trustd.
 */
export interface LoneNode extends AsyncDisposable {
  readonly root: string;
  readonly address: string;
  readonly machined: DaemonProcess;
  /** The machine configuration of the node, applied or not. */
  readonly configuration: string;
  /** The CA of the node's PKI. */
  readonly ca: CertificateAndKey;
  readonly sockets: Readonly<Record<'machined' | 'apid' | 'trustd' | 'devices', string>>;
  /** Creates a client certificate with these roles. */
  issueClient(...roles: string[]): Promise<CertificateAndKey>;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const token = 'abcdef.0123456789abcdef';

/** Every node listens on the same ports, so each uses its own address from 127.200.0.0/13. */
function ownAddress(): string {
  const number =
    (process.pid * 7919 + Math.floor(performance.timeOrigin + performance.now())) % (8 * 254 * 254);
  return `127.${200 + Math.floor(number / (254 * 254))}.${1 + (Math.floor(number / 254) % 254)}.${1 + (number % 254)}`;
}

function configText(ca: CertificateAndKey, address: string, controlPlane: string): string {
  const isWorker = controlPlane !== address;
  const lines = [
    'version: v1alpha1',
    'machine:',
    `    type: ${isWorker ? 'worker' : 'controlplane'}`,
    `    token: ${token}`,
    `    ca: { crt: ${base64(ca.certificate)}${isWorker ? '' : `, key: ${base64(ca.key)}`} }`,
    'cluster:',
    '    clusterName: lone',
    `    controlPlane: { endpoint: "https://${controlPlane}:6443" }`,
  ];
  return `${lines.join('\n')}\n`;
}

function writeConfig(root: string, text: string): void {
  const folder = join(root, 'system', 'state');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), text, { mode: 0o600 });
}

/** Starts a node and waits until all daemons that it should run report SERVING. Needs the bundles. */
export async function startLoneNode(init: LoneNodeInit = {}): Promise<LoneNode> {
  const folder = mkdtempSync(join(tmpdir(), 'node-'));
  const [root, empty] = [join(folder, 'root'), join(folder, 'empty')];
  mkdirSync(empty);
  const ca = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore: new Date(),
  });
  const address = ownAddress();
  const { isConfigured = true, workerOf = address } = init;
  const configuration = configText(ca, address, workerOf);
  if (isConfigured) writeConfig(root, configuration);

  const servicesFolder = init.servicesFolder ?? join(import.meta.dirname, '..', '..', '..', '_out', 'dist');
  const args = ['--root', root, '--mode', 'process', '--hostname', 'node01', '--address', address];
  const machined = await spawnDaemon({
    name: 'machined',
    args: [...args, '--services-dir', servicesFolder],
    cwd: init.cwd ?? empty,
    ...(init.env === undefined ? {} : { env: init.env }),
    ...(init.nodeFlags === undefined ? {} : { nodeFlags: init.nodeFlags }),
    ...(init.program === undefined ? {} : { program: init.program }),
  });
  const sockets = {
    machined: join(root, 'run', 'machined', 'machined.sock'),
    apid: join(root, 'run', 'apid', 'health.sock'),
    trustd: join(root, 'run', 'trustd', 'health.sock'),
    devices: join(root, 'run', 'udevd-bridge', 'devices.sock'),
  };
  const node: LoneNode = {
    root,
    address,
    machined,
    configuration,
    ca,
    sockets,
    issueClient: (...roles) =>
      issueCertificate({
        issuer: ca,
        subject: { organizations: roles },
        keyUsage: ['digitalSignature'],
        extendedKeyUsage: ['clientAuth'],
        notBefore: new Date(),
        lifetimeHours: 1,
      }),
    async [Symbol.asyncDispose]() {
      await machined[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    for (const [name, socket] of Object.entries(sockets)) {
      // A node without configuration runs no trustd, and no worker does.
      if (name === 'trustd' && (!isConfigured || workerOf !== address)) continue;
      await eventually(() => isServing(socket), {
        what: `${name} serving`,
        explain: () => machined.stdout(),
      });
    }
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
  return node;
}

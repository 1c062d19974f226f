import { join } from 'node:path';
import type { CertificateAndKey, SecretsBundle } from '@nodewright/machine-config';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { UsageFault } from '../../context/failure.ts';
import { naming, readInput } from '../../context/read-input.ts';
import type { OutputFormat } from '../../render/output-format.ts';
import { addFormatOption, addGenCommand, createFiles, type GenOptions, writeOptions } from './gen-options.ts';
import { checkBootstrapToken } from './parse-names.ts';
import { privateMode } from './planned-file.ts';
import { refuseExisting } from './write-files.ts';

interface SecretsOptions extends GenOptions {
  readonly outputFile: string;
  readonly talosVersion?: string;
  readonly fromControlplaneConfig?: string;
  readonly fromKubernetesPki?: string;
  readonly kubernetesBootstrapToken?: string;
  readonly format: OutputFormat;
}

/** `talosctl gen secrets`: generates the secrets bundle of a cluster. Source: Talos v1.14: gen secrets. */
export function defineGenSecrets(gen: Command, env: CliEnvironment): void {
  addFormatOption(addGenCommand(gen, 'secrets', 'Generate a secrets bundle for later use'))
    .option('-o, --output-file <path>', 'file to write, or - for standard output', 'secrets.yaml')
    .option('--talos-version <version>', 'Talos version to generate for (default: the newest)')
    .option('--from-controlplane-config <file>', 'copy the secrets from the configuration of a control plane')
    .option('-p, --from-kubernetes-pki <folder>', 'copy the Kubernetes authorities from a folder')
    .option('-t, --kubernetes-bootstrap-token <token>', 'use this token instead of a new one')
    .action(async (_options: SecretsOptions, command: Command) => {
      await generate(env, command.optsWithGlobals<SecretsOptions>());
    });
}

async function generate(env: CliEnvironment, options: SecretsOptions): Promise<void> {
  const { outputFile: path, fromControlplaneConfig, fromKubernetesPki, format } = options;
  if (fromControlplaneConfig !== undefined && fromKubernetesPki !== undefined) {
    throw new UsageFault('flags --from-controlplane-config and --from-kubernetes-pki exclude each other');
  }
  if (path === '-' && format !== 'table')
    throw new UsageFault('flag --format reports the written files, and -o - writes none');
  if (options.kubernetesBootstrapToken !== undefined) checkBootstrapToken(options.kubernetesBootstrapToken);
  if (path !== '-') await refuseExisting([path], writeOptions(env, options));

  const { encodeSecrets } = await import('@nodewright/machine-config');
  const text = encodeSecrets(withToken(await collectSecrets(env, options), options.kubernetesBootstrapToken));
  if (path === '-') env.stdout.write(text);
  else await createFiles(env, [{ path, text, mode: privateMode }], options, format);
}

async function collectSecrets(env: CliEnvironment, options: SecretsOptions): Promise<SecretsBundle> {
  const { generateSecrets, parseVersionContract, secretsFromConfig } = await import(
    '@nodewright/machine-config'
  );
  const { fromControlplaneConfig, fromKubernetesPki } = options;
  if (fromControlplaneConfig !== undefined) {
    const text = await readInput(env.cwd, fromControlplaneConfig);
    return naming(`cannot use ${JSON.stringify(fromControlplaneConfig)}`, () => secretsFromConfig(text));
  }
  const contract = parseVersionContract(options.talosVersion ?? '');
  if (fromKubernetesPki === undefined) return generateSecrets({ now: env.now(), contract });
  const taken = await readKubernetesPki(env, fromKubernetesPki);
  const fresh = await generateSecrets({ now: env.now(), contract });
  return { ...fresh, certs: { ...fresh.certs, ...taken } };
}

function withToken(bundle: SecretsBundle, bootstrapToken: string | undefined): SecretsBundle {
  return bootstrapToken === undefined
    ? bundle
    : { ...bundle, secrets: { ...bundle.secrets, bootstrapToken } };
}

/** Reads a folder with the layout of kubeadm's `/etc/kubernetes/pki`. */
async function readKubernetesPki(env: CliEnvironment, folder: string) {
  const { loadPrivateKey, parseCertificate } = await import('@nodewright/pki');
  const read = async (name: string, check: (pem: string) => unknown): Promise<string> => {
    const path = join(folder, name);
    const pem = await readInput(env.cwd, path);
    await naming(JSON.stringify(path), () => check(pem));
    return pem;
  };
  const pair = async (name: string): Promise<CertificateAndKey> => ({
    certificate: await read(`${name}.crt`, parseCertificate),
    key: await read(`${name}.key`, loadPrivateKey),
  });
  return {
    kubernetes: await pair('ca'),
    etcd: await pair('etcd/ca'),
    kubernetesAggregator: await pair('front-proxy-ca'),
    kubernetesServiceAccount: { key: await read('sa.key', loadPrivateKey) },
  };
}

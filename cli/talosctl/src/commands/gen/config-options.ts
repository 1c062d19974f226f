import { buildInfo } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import {
  defaultDnsDomain,
  defaultInstallDisk,
  defaultInstallerImage,
  defaultKubernetesVersion,
} from '@nodewright/machine-config';
import { type Command, InvalidArgumentError } from 'commander';
import { collectTexts } from '../../context/collect-texts.ts';
import { collectList } from '../../nodes/node-options.ts';
import type { OutputFormat } from '../../render/output-format.ts';
import { addFormatOption, addGenCommand, type GenOptions } from './gen-options.ts';
import {
  checkAlternativeName,
  parseDnsDomain,
  parseInstallDisk,
  parseKubernetesVersion,
} from './parse-names.ts';

/** Options of `gen config`, as commander parses them. */
export interface ConfigOptions extends GenOptions {
  readonly additionalSans?: readonly string[];
  readonly configPatch?: readonly string[];
  readonly configPatchControlPlane?: readonly string[];
  readonly configPatchWorker?: readonly string[];
  readonly dnsDomain: string;
  readonly installDisk: string;
  readonly installImage?: string;
  readonly kubernetesVersion: string;
  readonly output?: string;
  readonly outputDir?: string;
  readonly outputTypes?: readonly string[];
  readonly registryMirror?: readonly string[];
  readonly talosVersion?: string;
  readonly version: string;
  readonly withClusterDiscovery: boolean;
  readonly withDocs: boolean;
  readonly withExamples: boolean;
  readonly withKubespan?: boolean;
  readonly withSecrets?: string;
  readonly skipK8sEtcd?: boolean;
  readonly format: OutputFormat;
}

function collectWords(text: string, before: readonly string[] = []): string[] {
  return collectList(text, before);
}

function collectAlternativeNames(text: string, before: readonly string[] = []): string[] {
  const names = collectList(text);
  names.forEach(checkAlternativeName);
  return [...before, ...names];
}

function parseConfigVersion(text: string): string {
  if (text === 'v1alpha1') return text;
  throw new InvalidArgumentError('The only version is v1alpha1.');
}

/** Defines the command with its arguments and flags. Source: Talos v1.14: gen config. */
export function defineConfigOptions(gen: Command, name: string): Command {
  const command = addGenCommand(gen, name, 'Generate the configuration files of a new cluster')
    .argument('<cluster-name>', 'name of the cluster')
    .argument('<cluster-endpoint>', 'URL of the Kubernetes control plane, such as https://10.0.0.1:6443');
  const hidden = (flags: string) => command.createOption(flags).hideHelp();
  return addFormatOption(command)
    .option(
      '--additional-sans <names>',
      'more host names and addresses for the API certificates',
      collectAlternativeNames,
    )
    .option(
      '--config-patch <patch>',
      'patch for all configurations: text, or @file (repeatable)',
      collectTexts,
    )
    .option(
      '--config-patch-control-plane <patch>',
      'patch for control planes: text, or @file (repeatable)',
      collectTexts,
    )
    .option('--config-patch-worker <patch>', 'patch for workers: text, or @file (repeatable)', collectTexts)
    .option('--dns-domain <domain>', 'domain of the cluster DNS', parseDnsDomain, defaultDnsDomain)
    .option(
      '--install-disk <device>',
      'disk to install to; empty to leave it out of the configuration',
      parseInstallDisk,
      defaultInstallDisk,
    )
    .option('--install-image <image>', 'installer image (default: the image of this version)')
    .option(
      '--kubernetes-version <version>',
      'Kubernetes version',
      parseKubernetesVersion,
      defaultKubernetesVersion,
    )
    .option(
      '-o, --output <path>',
      'folder to write to; with one output type also a file, or - for standard output',
    )
    .option(
      '-t, --output-types <types>',
      'what to generate (default: controlplane,worker,talosconfig)',
      collectWords,
    )
    .option('--registry-mirror <host=url>', 'mirror to use for a registry (repeatable)', collectWords)
    .option('--talos-version <version>', 'Talos version to generate for (default: the newest)')
    .option('--version <version>', 'version of the configuration format', parseConfigVersion, 'v1alpha1')
    .option(
      '--with-cluster-discovery',
      'let cluster members find each other through the discovery service',
      true,
    )
    .option('--with-docs', 'write a comment that explains each field', true)
    .option('--with-examples', 'write commented examples', true)
    .option('--with-kubespan', 'encrypt the traffic between nodes')
    .option('--with-secrets <file>', 'file with a secrets bundle to use instead of new secrets')
    .addOption(hidden('--no-with-cluster-discovery'))
    .addOption(hidden('--no-with-docs'))
    .addOption(hidden('--no-with-examples'))
    .addOption(hidden('--output-dir <folder>'))
    .addOption(hidden('--skip-k8s-etcd'));
}

/** The installer image: the value of `--install-image`, or else the image of this version. */
export function installImageOf(
  { installImage }: Pick<ConfigOptions, 'installImage'>,
  environment: Readonly<NodeJS.ProcessEnv>,
): string {
  return installImage ?? `${defaultInstallerImage}:${environment.TAG || buildInfo.tag}`;
}

/** The URLs in `host=url` texts, in their order per host. @throws Fault `invalid-argument` */
export function readMirrors(texts: readonly string[]): Record<string, string[]> {
  const mirrors = new Map<string, string[]>();
  for (const text of texts) {
    const [, host = '', url = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
    if (host === '' || !URL.canParse(url)) {
      throw new Fault(
        'invalid-argument',
        `invalid registry mirror ${JSON.stringify(text)}: use the form host=url`,
      );
    }
    mirrors.set(host, [...(mirrors.get(host) ?? []), url]);
  }
  return Object.fromEntries(mirrors);
}

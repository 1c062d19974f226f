import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { GenerateOptions, SecretsBundle, VersionContract } from '@nodewright/machine-config';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { UsageFault } from '../../context/failure.ts';
import { naming, readInput } from '../../context/read-input.ts';
import { escapeEntry } from '../../output/escape-text.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { type ConfigOptions, defineConfigOptions, installImageOf, readMirrors } from './config-options.ts';
import { createFiles, writeOptions } from './gen-options.ts';
import { type OutputPlace, type OutputType, outputFiles, outputPlaces } from './output-places.ts';
import { checkClusterName } from './parse-names.ts';
import { type PlannedFile, publicMode } from './planned-file.ts';
import { readPatches } from './read-patches.ts';
import { refuseExisting } from './write-files.ts';

/** `talosctl gen config`: generates the machine configurations and the talosconfig of a new cluster. */
export function defineGenConfig(gen: Command, env: CliEnvironment, name = 'config'): Command {
  return defineConfigOptions(gen, name).action(
    async (clusterName: string, endpoint: string, _options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      checkClusterName(clusterName);
      checkEndpoint(endpoint);
      await generate(env, clusterName, endpoint, options);
    },
  );
}

async function generate(
  env: CliEnvironment,
  clusterName: string,
  endpoint: string,
  options: ConfigOptions,
): Promise<void> {
  const { currentContract, parseVersionContract } = await import('@nodewright/machine-config');
  const contract =
    options.talosVersion === undefined ? currentContract : parseVersionContract(options.talosVersion);
  const places = outputPlaces({
    types: options.outputTypes ?? Object.keys(outputFiles),
    output: options.output,
    outputDir: options.outputDir,
    cwd: env.cwd,
    isFolder: (path) => statSync(resolve(env.cwd, path), { throwIfNoEntry: false })?.isDirectory() ?? false,
  });
  if (options.format !== 'table' && places.some(({ kind }) => kind === 'stdout')) {
    throw new UsageFault('flag --format reports the written files, and -o - writes none');
  }
  const paths = places.flatMap((place) => (place.kind === 'file' ? [place.path] : []));
  await refuseExisting(paths, writeOptions(env, options));

  const patches = await readAllPatches(env, options);
  const request = { clusterName, endpoint, contract, options: generateOptions(env, options) };
  const secrets = await readOrMakeSecrets(env, options, contract);
  const texts = await Promise.all(
    places.map(({ type }) => textOf(type, { ...request, secrets }, patches, env, options)),
  );
  for (const [at, place] of places.entries())
    if (place.kind === 'stdout') env.stdout.write(texts[at] as string);
  await createFiles(env, plannedFiles(places, texts), options, options.format);
  for (const [at, { type }] of places.entries())
    if (type !== 'talosconfig') await warnIfInvalid(texts[at] as string, type, env);
}

function plannedFiles(places: readonly OutputPlace[], texts: readonly string[]): PlannedFile[] {
  return places.flatMap((place, at) =>
    place.kind === 'file' ? [{ path: place.path, text: texts[at] as string, mode: publicMode }] : [],
  );
}

function generateOptions(env: CliEnvironment, options: ConfigOptions): GenerateOptions {
  return {
    additionalSANs: options.additionalSans,
    dnsDomain: options.dnsDomain,
    installDisk: options.installDisk,
    installImage: installImageOf(options, env.environment),
    kubernetesVersion: options.kubernetesVersion,
    registryMirrors: readMirrors(options.registryMirror ?? []),
    clusterDiscovery: options.withClusterDiscovery,
    kubeSpan: options.withKubespan ?? false,
    skipKubernetesAndEtcd: options.skipK8sEtcd ?? false,
  };
}

interface Patches {
  readonly all: Awaited<ReturnType<typeof readPatches>>;
  readonly ofType: Readonly<Record<'controlplane' | 'worker', Awaited<ReturnType<typeof readPatches>>>>;
}

async function readAllPatches(env: CliEnvironment, options: ConfigOptions): Promise<Patches> {
  return {
    all: await readPatches(env.cwd, '--config-patch', options.configPatch),
    ofType: {
      controlplane: await readPatches(
        env.cwd,
        '--config-patch-control-plane',
        options.configPatchControlPlane,
      ),
      worker: await readPatches(env.cwd, '--config-patch-worker', options.configPatchWorker),
    },
  };
}

async function readOrMakeSecrets(
  env: CliEnvironment,
  options: ConfigOptions,
  contract: VersionContract,
): Promise<SecretsBundle> {
  const { decodeSecrets, generateSecrets } = await import('@nodewright/machine-config');
  const { withSecrets: path } = options;
  if (path !== undefined) {
    const text = await readInput(env.cwd, path);
    return naming(`cannot use ${JSON.stringify(path)}`, () => decodeSecrets(text));
  }
  env.stderr.write('generating PKI and tokens\n');
  return generateSecrets({ now: env.now(), contract });
}

interface Request {
  readonly secrets: SecretsBundle;
  readonly clusterName: string;
  readonly endpoint: string;
  readonly contract: VersionContract;
  readonly options: GenerateOptions;
}

async function textOf(
  type: OutputType,
  request: Request,
  patches: Patches,
  env: CliEnvironment,
  { withDocs, withExamples }: ConfigOptions,
): Promise<string> {
  const { generateConfig, generateTalosconfig } = await import('@nodewright/machine-config');
  if (type === 'talosconfig') return generateTalosconfig({ ...request, now: env.now() });
  const comments = { docs: withDocs, examples: withExamples };
  return generateConfig({
    ...request,
    type,
    patches: [...patches.all, ...patches.ofType[type]],
    comments,
  });
}

/** Warns of a configuration that options or patches made invalid. The file is written all the same, for inspection. */
async function warnIfInvalid(text: string, type: OutputType, env: CliEnvironment): Promise<void> {
  const { loadConfiguration, validateConfiguration, validationMessage } = await import(
    '@nodewright/machine-config'
  );
  const result = validateConfiguration(loadConfiguration(text), { mode: 'cloud', local: true });
  for (const warning of result.warnings) env.stderr.write(`WARNING: ${type}: ${warning}\n`);
  const message = validationMessage(result);
  if (message !== undefined)
    env.stderr.write(
      `WARNING: nodes will reject the ${type} configuration: ${escapeEntry(message.trimEnd())}\n`,
    );
}

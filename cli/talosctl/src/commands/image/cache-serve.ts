import { resolve } from 'node:path';
import { aborted } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { AnswerRecord } from '@nodewright/oci/serve';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { PartialFile } from '../../context/partial-file.ts';
import { readInput } from '../../context/read-input.ts';
import type { OutputOptions } from '../../nodes/node-options.ts';
import { printableCell } from '../../render/printable.ts';
import { addImageCommand } from './image-options.ts';

interface CacheServeOptions extends OutputOptions {
  readonly imageCachePath: string;
  readonly address: string;
  readonly mirror: readonly string[];
  readonly tlsCertFile?: string;
  readonly tlsKeyFile?: string;
}

const defaultMirrors = ['docker.io', 'ghcr.io', 'registry.k8s.io'];
/** Source: Talos v1.14: image commands. */
const patchName = 'image-cache-mirrors-patch.yaml';

/** `talosctl image cache-serve`: serves the images of a folder until Ctrl-C. Source: Talos v1.14: image commands. */
export function defineImageCacheServe(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'cache-serve', 'Serve the images of a folder as a registry')
    .requiredOption('--image-cache-path <path>', 'folder of the cache, in either layout of cache-create')
    .option('--address <address>', 'host:port to listen on', '127.0.0.1:3172')
    .option('--mirror <registries>', 'registries of the patch that is written, with commas', parseList)
    .option('--tls-cert-file <file>', 'certificate, PEM; with it the server speaks TLS')
    .option('--tls-key-file <file>', 'key of the certificate, PEM')
    .action((_: CacheServeOptions, command: Command) => serveCache(env, command.optsWithGlobals()));
}

async function serveCache(env: CliEnvironment, options: CacheServeOptions): Promise<void> {
  const [{ openImageFolder, VerifiedFiles }, { LocalImages, localSource, openDistributionServer }] =
    await Promise.all([import('@nodewright/oci/cache'), import('@nodewright/oci/serve')]);
  const folder = openImageFolder(resolve(env.cwd, options.imageCachePath), new VerifiedFiles());
  await folder.check();
  const { host, port } = parseAddress(options.address);
  const tls = await readPair(env, options);
  await using server = await openDistributionServer({
    source: localSource(new LocalImages(() => [folder])),
    telemetry: await env.telemetry(),
    ...(tls && { tls }),
    onAnswered: (record) => env.stderr.write(`${lineOf(record)}\n`),
  });
  const found = await server.listen({ host, port });
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `${tls === undefined ? 'http' : 'https'}://${name}:${found}`;
  const patch = (options.mirror ?? defaultMirrors)
    .map((registry) => mirrorDocument(registry, url))
    .join('---\n');
  await using file = await PartialFile.open(resolve(env.cwd, patchName), {
    mode: 0o666,
    shownPath: patchName,
  });
  await file.write(Buffer.from(patch));
  await file.commit();
  env.stderr.write(
    `serving ${printableCell(folder.root)} on ${url}; ${patchName} makes nodes use it. Ctrl-C ends it\n`,
  );
  await aborted(env.signal);
}

async function readPair(env: CliEnvironment, { tlsCertFile, tlsKeyFile }: CacheServeOptions) {
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return undefined;
  if (tlsCertFile === undefined || tlsKeyFile === undefined)
    throw new Fault('invalid-argument', '--tls-cert-file and --tls-key-file belong together');
  return { certificate: await readInput(env.cwd, tlsCertFile), key: await readInput(env.cwd, tlsKeyFile) };
}

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535)
    throw new Fault('invalid-argument', `--address must be host:port, not ${JSON.stringify(text)}`);
  return { host, port: Number(port) };
}

const mirrorDocument = (registry: string, url: string) =>
  `apiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: ${registry}\nendpoints:\n  - url: ${url}\n`;

function lineOf({ method, target, status, bytes, fault }: AnswerRecord): string {
  const { registry = '', repository, which } = target;
  const name = printableCell(`${registry}${registry === '' ? '' : '/'}${repository} ${which}`);
  return `${method} ${name}: ${status}, ${bytes} bytes${fault === undefined ? '' : `, ${printableCell(fault.message)}`}`;
}

const parseList = (value: string, before: readonly string[] = []) => [...before, ...value.split(',')];

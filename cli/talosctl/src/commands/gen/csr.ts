import { isIP } from 'node:net';
import { roles as knownRoles } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { naming, readInput } from '../../context/read-input.ts';
import { addOutputOption, collectList, type OutputOptions } from '../../nodes/node-options.ts';
import { addGenCommand, createFiles, type GenOptions } from './gen-options.ts';
import { privateMode } from './planned-file.ts';

interface CsrOptions extends GenOptions, OutputOptions {
  readonly key: string;
  readonly ip: string;
  readonly roles?: readonly string[];
}

/** Parses an IP address. */
export function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It must be an IP address.');
  return text;
}

/** Replaces the extension of a path. */
function withExtension(path: string, extension: string): string {
  return `${path.replace(/\.[^./]*$/, '')}${extension}`;
}

/** `talosctl gen csr`: generates a client certificate request with roles. Source: Talos v1.14: gen csr. */
export function defineGenCsr(gen: Command, env: CliEnvironment): void {
  addOutputOption(addGenCommand(gen, 'csr', 'Generate a certificate request for a private key'))
    .requiredOption('--key <file>', 'private key; the request is written to the same folder')
    .requiredOption('--ip <address>', 'IP address in the request', parseAddress)
    .option(
      '--roles <roles>',
      'roles in the request, separated by commas (default: os:admin)',
      collectList,
      [],
    )
    .action(async (_options: CsrOptions, command: Command) => {
      const options = command.optsWithGlobals<CsrOptions>();
      const roles = options.roles ?? [knownRoles.admin];
      checkRoles(roles);
      const { createCertificateRequest } = await import('@nodewright/pki');
      const key = await readInput(env.cwd, options.key);
      const { request } = await naming(JSON.stringify(options.key), () =>
        createCertificateRequest({ key, subject: { organizations: roles }, ipAddresses: [options.ip] }),
      );
      const path = withExtension(options.key, '.csr');
      await createFiles(env, [{ path, text: request, mode: privateMode }], options, options.output);
    });
}

function checkRoles(roles: readonly string[]): void {
  const known: readonly string[] = Object.values(knownRoles);
  const unknown = roles.filter((role) => !known.includes(role));
  if (unknown.length === 0) return;
  throw new Fault(
    'invalid-argument',
    `unknown roles: ${unknown.join(', ')}; the roles are ${known.join(', ')}`,
  );
}

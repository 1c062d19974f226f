import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { naming, readInput } from '../../context/read-input.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { addGenCommand, createFiles, type GenOptions, parseHours } from './gen-options.ts';
import { parseFileName } from './parse-names.ts';
import { privateMode } from './planned-file.ts';

interface CrtOptions extends GenOptions, OutputOptions {
  readonly ca: string;
  readonly csr: string;
  readonly name: string;
  readonly hours: number;
}

const dayInHours = 24;

/** `talosctl gen crt`: signs a client certificate request. Source: Talos v1.14: gen crt. */
export function defineGenCrt(gen: Command, env: CliEnvironment): void {
  addOutputOption(addGenCommand(gen, 'crt', 'Generate a client certificate from a request'))
    .requiredOption('--ca <path>', "path of the authority's files, without .crt and .key")
    .requiredOption('--csr <file>', 'certificate request to sign')
    .requiredOption('--name <name>', 'name of the file to write, without .crt', parseFileName)
    .option('--hours <hours>', 'lifetime of the certificate in hours', parseHours, dayInHours)
    .action(async (_options: CrtOptions, command: Command) => {
      const options = command.optsWithGlobals<CrtOptions>();
      const { parseCertificateRequest, signCertificateRequest } = await import('@nodewright/pki');
      const issuer = {
        certificate: await readInput(env.cwd, `${options.ca}.crt`),
        key: await readInput(env.cwd, `${options.ca}.key`),
      };
      const pem = await readInput(env.cwd, options.csr);
      const request = await naming(JSON.stringify(options.csr), () => parseCertificateRequest(pem));
      const certificate = signCertificateRequest({
        issuer,
        request,
        policy: {
          subject: 'keep',
          keyUsage: ['digitalSignature'],
          extendedKeyUsage: ['clientAuth'],
          notBefore: env.now(),
          lifetimeHours: options.hours,
        },
      });
      const file = { path: `${options.name}.crt`, text: certificate, mode: privateMode };
      await createFiles(env, [file], options, options.output);
    });
}

import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { parseAddress } from './csr.ts';
import { addGenCommand, createFiles, type GenOptions } from './gen-options.ts';
import { parseOrganization } from './parse-names.ts';
import { privateMode } from './planned-file.ts';

interface KeypairOptions extends GenOptions, OutputOptions {
  readonly organization: string;
  readonly ip?: string;
}

/**
 * `talosctl gen keypair`: generates a self-signed authority that can also serve as a server certificate.
 * Source: Talos v1.14: gen keypair.
 */
export function defineGenKeypair(gen: Command, env: CliEnvironment): void {
  addOutputOption(addGenCommand(gen, 'keypair', 'Generate a self-signed certificate and its key'))
    .requiredOption(
      '--organization <name>',
      'organization in the certificate, and name of the files',
      parseOrganization,
    )
    .option('--ip <address>', 'IP address in the certificate', parseAddress)
    .action(async (_options: KeypairOptions, command: Command) => {
      const options = command.optsWithGlobals<KeypairOptions>();
      const { generateCertificateAuthority } = await import('@nodewright/pki');
      const { organization, ip } = options;
      const { certificate, key } = await generateCertificateAuthority({
        algorithm: 'ed25519',
        organization,
        ipAddresses: ip === undefined ? [] : [ip],
        notBefore: env.now(),
      });
      const files = [
        { path: `${organization}.crt`, text: certificate, mode: privateMode },
        { path: `${organization}.key`, text: key, mode: privateMode },
      ];
      await createFiles(env, files, options, options.output);
    });
}

import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { addGenCommand, createFiles, type GenOptions, parseHours } from './gen-options.ts';
import { parseOrganization } from './parse-names.ts';
import { privateMode } from './planned-file.ts';

interface CaOptions extends GenOptions, OutputOptions {
  readonly organization: string;
  readonly hours: number;
  readonly rsa?: boolean;
}

const tenYearsInHours = 87_600;

/** `talosctl gen ca`: generates a certificate authority and the hash of its key. Source: Talos v1.14: gen ca. */
export function defineGenCa(gen: Command, env: CliEnvironment): void {
  addOutputOption(addGenCommand(gen, 'ca', 'Generate a self-signed certificate authority'))
    .requiredOption(
      '--organization <name>',
      'organization of the authority, and name of the files',
      parseOrganization,
    )
    .option('--hours <hours>', 'lifetime of the certificate in hours', parseHours, tenYearsInHours)
    .option('--rsa', 'generate an RSA key instead of an Ed25519 key')
    .action(async (_options: CaOptions, command: Command) => {
      const options = command.optsWithGlobals<CaOptions>();
      const { generateCertificateAuthority, parseCertificate } = await import('@nodewright/pki');
      const { organization, hours, rsa } = options;
      const { certificate, key } = await generateCertificateAuthority({
        algorithm: rsa ? 'rsa-4096' : 'ed25519',
        organization,
        notBefore: env.now(),
        lifetimeHours: hours,
      });
      const hash = Buffer.from(parseCertificate(certificate).publicKeyFingerprint, 'base64').toString('hex');
      const files = [
        { path: `${organization}.crt`, text: certificate, mode: privateMode },
        { path: `${organization}.sha256`, text: `sha256:${hash}`, mode: privateMode },
        { path: `${organization}.key`, text: key, mode: privateMode },
      ];
      await createFiles(env, files, options, options.output);
    });
}

import type { CommandModule } from '../context/command-module.ts';
import { defineGenCa } from './gen/ca.ts';
import { defineGenConfig } from './gen/config.ts';
import { defineGenCrt } from './gen/crt.ts';
import { defineGenCsr } from './gen/csr.ts';
import { defineGenKey } from './gen/key.ts';
import { defineGenKeypair } from './gen/keypair.ts';
import { defineGenSecrets } from './gen/secrets.ts';
import { defineGenSecureboot } from './gen/secureboot.ts';

/** `talosctl gen`: generates files without contacting nodes. Source: Talos v1.14: gen. */
export const genCommand: CommandModule = {
  define(command, env) {
    command.option('-f, --force', 'overwrite files that exist');
    defineGenCa(command, env);
    defineGenConfig(command, env);
    defineGenCrt(command, env);
    defineGenCsr(command, env);
    defineGenKey(command, env);
    defineGenKeypair(command, env);
    defineGenSecrets(command, env);
    defineGenSecureboot(command);
  },
};

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { maxMessageSizeBytes } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { readFault } from '../context/read-input.ts';

/** A file that the user passed as a machine configuration. */
export interface ConfigFile {
  /** The quoted path of the file, for messages. */
  readonly name: string;
  readonly text: string;
}

/** Other files that users keep next to a machine configuration, and the top-level keys that identify them. */
const otherFiles: readonly { readonly keys: readonly RegExp[]; readonly what: string }[] = [
  { keys: [/^contexts:/m, /^context:/m], what: 'a talosconfig' },
  { keys: [/^certs:/m, /^secrets:/m], what: 'a secrets bundle' },
  { keys: [/^kind: *Config *$/m, /^clusters:/m], what: 'a kubeconfig' },
];

/**
 * Reads a machine configuration from a file, or from standard input for `-`. It does not decode the text, but it
 * rejects a text that cannot be a configuration, so that a client's key is not sent to a node by mistake.
 *
 * @throws Fault that names the file when it is unreadable, too large, empty, not text, or another file of a cluster
 */
export async function readConfigFile(env: CliEnvironment, path: string): Promise<ConfigFile> {
  const name = path === '-' ? 'standard input' : JSON.stringify(path);
  const bytes = await readAll(env, path, name);
  const text = await decodeText(bytes);
  if (text === undefined) {
    throw new Fault('invalid-argument', `${name} is not text: a machine configuration is YAML in UTF-8`);
  }
  if (text.split('\n').every((line) => /^(---|\.\.\.)?\s*(#.*)?$/.test(line))) {
    throw new Fault('invalid-argument', `${name} is empty: it contains no document`);
  }
  const other = otherFiles.find(({ keys }) => keys.every((key) => key.test(text)));
  if (other !== undefined) {
    throw new Fault('invalid-argument', `${name} is ${other.what}, not a machine configuration`);
  }
  return { name, text };
}

async function readAll(env: CliEnvironment, path: string, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const source = path === '-' ? env.stdin : createReadStream(resolve(env.cwd, path));
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      chunks.push(bytes);
      size += bytes.length;
      if (size > maxMessageSizeBytes) {
        throw new Fault(
          'resource-exhausted',
          `it is larger than the ${maxMessageSizeBytes / 1024 ** 2} MiB that a node accepts`,
        );
      }
    }
  } catch (error) {
    throw readFault(name, error);
  }
  return Buffer.concat(chunks);
}

async function decodeText(bytes: Buffer): Promise<string | undefined> {
  const { decodeConfigurationText } = await import('@nodewright/machine-config');
  const text = decodeConfigurationText(bytes);
  return text?.includes('\0') ? undefined : text;
}

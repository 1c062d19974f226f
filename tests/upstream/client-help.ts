import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { clientProgram } from './run-client.ts';

const heading =
  /^(Available Commands|Manage running Talos clusters|Commands to generate.*|Local Talos.*|Additional Commands):$/;

export interface ClientCommand {
  /** As it is called: `etcd members`; empty for the client itself. */
  readonly path: string;
  readonly help: string;
  readonly hasSubcommands: boolean;
}

function subcommands(help: string): string[] {
  let isListed = false;
  return help.split('\n').flatMap((line) => {
    if (heading.test(line)) isListed = true;
    else if (line === '') isListed = false;
    else if (isListed) return [/^ {2}(\S+)/.exec(line)?.[1] ?? ''];
    return [];
  });
}

/** A command of the released client and all commands below it, read from their help. */
export async function clientCommands(words: readonly string[] = []): Promise<ClientCommand[]> {
  const { stdout: help } = await promisify(execFile)(clientProgram, [...words, '--help']);
  const names = words[0] === 'help' ? [] : subcommands(help);
  const own = { path: words.join(' '), help, hasSubcommands: names.length > 0 };
  const below = await Promise.all(names.map((name) => clientCommands([...words, name])));
  return [own, ...below.flat()];
}

export interface BooleanFlag {
  /** `--follow`. */
  readonly long: string;
  /** `-f`. */
  readonly short: string | undefined;
}

/** The boolean flags in a help text of the client: those without a type behind their name. */
export function booleanFlags(help: string): BooleanFlag[] {
  return [...help.matchAll(/^ {2,}(?:-(\w), )? *--([\w-]+) {2,}/gm)].map(([, short, long]) => ({
    long: `--${long}`,
    short: short === undefined ? undefined : `-${short}`,
  }));
}

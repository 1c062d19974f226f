import { methodTable, type Role } from '@nodewright/contract';
import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import { commandPath } from '../context/command-path.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { readContext } from '../nodes/talosconfig-of.ts';
import { readCertificateFacts } from '../values/certificate-facts.ts';

/** Which roles the refused command needs, and which the certificate has, in one line; undefined when the table has no answer. */
export async function neededRoles(
  env: CliEnvironment,
  called: Command,
  options: NodeOptions,
): Promise<string | undefined> {
  const { crt } = (await readContext(env, options)).context;
  if (crt === undefined) return undefined;
  const { roles: own } = readCertificateFacts(crt);
  const path = commandPath(called);
  // The table names commands with the argument that selects the method, such as `service restart`.
  const verb = called.args.at(-1);
  const names = verb === undefined ? [path] : [`${path} ${verb}`, path];
  const [allowed] = Object.values(methodTable)
    .filter(({ command = '' }) => names.includes(command.replace(/ --.*$/, '')))
    .map(({ roles }) => roles)
    .filter((roles) => !own.some((role) => roles.includes(role as Role)));
  // Kinds of resources with secrets need more than the method that reads them.
  const needed = allowed ?? (path === 'get' ? ['os:admin'] : undefined);
  if (needed === undefined) return undefined;
  const has = own.length === 0 ? 'no role' : own.join(', ');
  return `${allowed === undefined ? `${path} of this kind` : path} needs the role ${[...needed].sort().reverse().join(' or ')}, and the certificate of this context has ${has}`;
}

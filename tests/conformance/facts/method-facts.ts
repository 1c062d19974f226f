import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The requirements of a method, taken from the reference. */
export interface MethodFact {
  /** `/package.Service/Method` */
  readonly path: string;
  /** Any one of them admits a caller. */
  readonly roles: readonly string[];
  /** Whether `nodes` metadata is taken. */
  readonly nodes: boolean;
  /** Callers without the administrator role are admitted only while the node has no configuration. */
  readonly maintenance: boolean;
}

/** The table of the reference. The implementation's own table is also compared with it. */
const factsFile = join(import.meta.dirname, '..', '..', 'contract', 'facts', 'methods.txt');

/** Every method of the API. */
export function readMethodFacts(): MethodFact[] {
  const facts: MethodFact[] = [];
  let heading: Omit<MethodFact, 'path' | 'maintenance'> & { readonly prefix: string } = {
    prefix: '',
    roles: [],
    nodes: false,
  };
  for (const line of readFileSync(factsFile, 'utf8').split('\n')) {
    const [, prefix = '', roles = '', nodes] = /^(\/\S+) roles (.*) nodes (yes|no)$/.exec(line) ?? [];
    if (prefix !== '') heading = { prefix, roles: roles.split(' '), nodes: nodes === 'yes' };
    else if (line.startsWith('  ')) {
      const [name = '', ...marks] = line.trim().split(', ');
      const { prefix: service, ...rest } = heading;
      facts.push({ ...rest, path: `${service}${name}`, maintenance: marks.includes('MT') });
    }
  }
  return facts;
}

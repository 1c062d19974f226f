import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface KindFacts {
  readonly type: string;
  readonly namespace: string;
  readonly aliases: string;
  readonly columns?: Readonly<Record<string, string>>;
  readonly sensitive?: boolean;
  readonly fields: readonly string[];
}

export interface ResourceFacts {
  readonly namespaces: readonly string[];
  readonly ambiguous: readonly string[];
  readonly kinds: readonly KindFacts[];
  readonly messages: Readonly<Record<string, readonly string[]>>;
  readonly enumerations: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const file = join(import.meta.dirname, '..', 'facts', 'resource-kinds.json');

/** The table of facts. */
export const resourceFacts = JSON.parse(readFileSync(file, 'utf8')) as ResourceFacts;

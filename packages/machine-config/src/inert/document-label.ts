import type { ConfigDocument } from '../config-document.ts';
import { nameOfDocument } from '../decode/load-configuration.ts';

/** Names in a configuration that a client sends may have any length. */
const maxNameLength = 64;

/** The kind of a document with its name, for people: `NetworkRuleConfig "ingress"`. */
export function labelOfDocument(document: ConfigDocument): string {
  const name = nameOfDocument(document);
  const shown = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
  return name === '' ? document.kind : `${document.kind} ${JSON.stringify(shown)}`;
}

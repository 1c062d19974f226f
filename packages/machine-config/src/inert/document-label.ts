import type { ConfigDocument } from '../config-document.ts';
import { nameOfDocument } from '../decode/load-configuration.ts';
import { quotedName } from '../forms/quoted-name.ts';

/** The kind of a document with its name, for people: `NetworkRuleConfig "ingress"`. */
export function labelOfDocument(document: ConfigDocument): string {
  const name = nameOfDocument(document);
  return name === '' ? document.kind : `${document.kind} ${quotedName(name)}`;
}

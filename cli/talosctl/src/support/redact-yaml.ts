import { isScalar, parseDocument, Scalar, visit } from 'yaml';
import { redactionMark } from './known-secrets.ts';
import { hideOwnTexts, holdsOwnTexts } from './own-texts-of-kinds.ts';
import { formsOf } from './secret-forms.ts';
import { mayHoldSecretKey, secretKey } from './secret-key.ts';

/** A spec that may be written, and the secrets that were removed from it. */
export interface RedactedYaml {
  readonly yaml: string;
  /** In every form in which they may appear elsewhere. */
  readonly secrets: readonly string[];
}

export interface RedactYamlOptions {
  /** The type of the resource. Kinds that repeat texts of users lose them. */
  readonly type?: string;
  /** Whether the kind holds secrets: then a `key` counts as a secret field too. */
  readonly isSecret?: boolean;
}

/**
 * A spec in YAML with the values of secret fields replaced and everything else unchanged. A spec that cannot
 * be parsed is dropped as a whole.
 */
export function redactYaml(
  yaml: string,
  { type = '', isSecret = false }: RedactYamlOptions = {},
): RedactedYaml {
  if (!isSecret && !holdsOwnTexts(type) && !mayHoldSecretKey.test(yaml)) return { yaml, secrets: [] };
  const document = parseDocument(yaml, { schema: 'failsafe' });
  if (document.errors.length > 0) return { yaml: `${redactionMark}\n`, secrets: [] };
  const secrets = [...hideOwnTexts(type, document)];
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || !isScalar(pair.value)) return undefined;
      const [name, text] = [String(pair.key.value), String(pair.value.value ?? '')];
      if (!secretKey.test(name) && !(isSecret && /^key$/i.test(name))) return undefined;
      if (/^(?:|null|~|true|false|\d{1,3})$/.test(text)) return undefined;
      secrets.push(...formsOf(text));
      pair.value = new Scalar(redactionMark);
      return visit.SKIP;
    },
  });
  if (secrets.length === 0 && !holdsOwnTexts(type)) return { yaml, secrets };
  return { yaml: document.toString({ lineWidth: 0, indent: 4 }), secrets };
}

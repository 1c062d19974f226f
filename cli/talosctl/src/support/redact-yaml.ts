import { isScalar, parseDocument, Scalar, visit } from 'yaml';
import { formsOf } from './configuration-secrets.ts';
import { redactionMark } from './secret-filter.ts';

/** Names of fields that may hold a secret in kinds that are not secret as a whole. */
const secretKey =
  /(?:^|[a-z_-])(?:token|password|passphrase|secret|private_?key|preshared_?key|identitytoken|auth_?key|api_?key|access_?key)$/i;
const mayHoldSecret =
  /(?:token|password|passphrase|secret|private_?key|preshared_?key|auth_?key|api_?key|access_?key)["']?\s*:/i;

/** A spec that may be written, and the secrets that were removed from it. */
export interface RedactedYaml {
  readonly yaml: string;
  /** In every form in which they may appear elsewhere. */
  readonly secrets: readonly string[];
}

/**
 * A spec in YAML with the values of secret fields replaced and everything else unchanged. A spec that cannot
 * be parsed is dropped as a whole.
 *
 * @param isSecret whether the kind holds secrets: then a `key` counts as a secret field too
 */
export function redactYaml(yaml: string, isSecret = false): RedactedYaml {
  if (!isSecret && !mayHoldSecret.test(yaml)) return { yaml, secrets: [] };
  const document = parseDocument(yaml, { schema: 'failsafe' });
  if (document.errors.length > 0) return { yaml: `${redactionMark}\n`, secrets: [] };
  const secrets: string[] = [];
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
  return { yaml: document.toString({ lineWidth: 0, indent: 4 }), secrets };
}

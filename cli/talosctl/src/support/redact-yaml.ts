import { isScalar, parseDocument, Scalar, visit } from 'yaml';
import { formsOf } from './configuration-secrets.ts';
import { redactionMark } from './secret-filter.ts';

/** Names under which a kind that is no secret as a whole may hold one. */
const secretKey =
  /(?:^|[a-z_-])(?:token|password|passphrase|secret|private_?key|preshared_?key|identitytoken|auth_?key|api_?key|access_?key)$/i;
const mayHoldSecret =
  /(?:token|password|passphrase|secret|private_?key|preshared_?key|auth_?key|api_?key|access_?key)["']?\s*:/i;

/** A spec as it may be written, and what was secret in it. */
export interface RedactedYaml {
  readonly yaml: string;
  /** In every form in which it may turn up elsewhere. */
  readonly secrets: readonly string[];
}

/**
 * A spec in YAML without what stands under the name of a secret, all else word for word. A spec that cannot be read is
 * dropped as a whole.
 *
 * @param isSecret whether the spec is of a kind that holds secrets: a `key` is then one as well
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

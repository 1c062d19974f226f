import { isNullNode, type ScalarNode } from './config-node.ts';
import { isTimestamp } from './timestamps.ts';
import { integerFromText, isFloatText } from './value-from-node.ts';

const core = 'tag:yaml.org,2002:';

/**
 * Applies the tag of a scalar: `!!int "1500"` is a number although it is quoted, `!!str 1500` is a text, and
 * `!!binary` holds a text in base64. A scalar with a tag of its own can only be a text. Returns a message if
 * the text does not fit the tag; it never quotes the text, which may be a secret.
 *
 * Source: YAML 1.1: tag repository; Talos v1.14: machine configuration, decoding.
 */
export function taggedScalar(node: ScalarNode, tag: string | undefined): ScalarNode | string {
  if (tag === undefined || tag === '!') return node;
  if (!tag.startsWith(core)) return { ...node, plain: false };
  const name = tag.slice(core.length);
  if (name === 'binary') return decodeBinary(node);
  const fits = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (fits === undefined) return { ...node, plain: false };
  const plain = { ...node, plain: true };
  return fits(plain) ? plain : `the value does not fit its tag !!${name}`;
}

/** The tags of values that are no texts. Each says which notations it allows. */
const forms: Readonly<Record<string, (node: ScalarNode) => boolean>> = {
  int: ({ text }) => integerFromText(text) !== undefined,
  float: ({ text }) => isFloatText(text) || integerFromText(text) !== undefined,
  bool: ({ text }) => /^(?:true|True|TRUE|false|False|FALSE)$/.test(text),
  null: isNullNode,
  timestamp: isTimestamp,
};

function decodeBinary(node: ScalarNode): ScalarNode | string {
  const bare = node.text.replaceAll(/[\r\n]/g, '');
  if (bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(bare))
    return '!!binary needs base64 with padding';
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(bare, 'base64'),
    );
    return { ...node, text, plain: false };
  } catch {
    return '!!binary must hold a text in UTF-8';
  }
}

// What users write into files, manifests and headers of a configuration: it may contain anything.
import { isMap, isPair, isScalar, parseAllDocuments, visit } from 'yaml';
import { hideRecognised } from './secret-filter.ts';
import { formsOf } from './secret-forms.ts';
import { secretKey } from './secret-key.ts';

/** The fields of a configuration that hold such texts. Each field with one of these names does. */
export const ownTextFields: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'manifest',
  'headers',
  'extraManifestHeaders',
]);

/** What says which object a manifest is about. It is in other files too, which must stay readable. */
const namingFields = new Set(['apiVersion', 'kind', 'image', 'name', 'namespace', 'labels', 'matchLabels']);
const secretObjectFields = new Set(['data', 'stringData']);
/** A longer text is looked at line by line: reading it as YAML would take too long. */
const maxParsedLength = 4 * 1024 * 1024;

/**
 * The secrets that a text of a user may contain, in the forms in which they may appear elsewhere. A text of one line is one. Of
 * longer texts, what is named as a secret and what stands in a Secret of Kubernetes counts, and so do all lines and words that
 * are no ordinary ones: the names and images of a manifest are in every log, and hiding them there would hide the log.
 */
export function ownTextSecrets(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = lines.flatMap(namedSecrets);
  if (lines.length <= 1) {
    const only = text.trim();
    // The part behind the scheme: `Bearer ...`.
    const [, credentials = only] = only.split(/\s+/, 2);
    found.push(...[only, credentials].flatMap(formsOf));
  }
  return [...new Set([...found, ...(valuesOfManifest(text) ?? lines.flatMap(tellingParts))])];
}

/**
 * The secrets that the value of an environment variable may contain, whatever the name of the variable. Ordinary words, paths,
 * addresses and numbers are none.
 */
export function variableSecrets(value: string): string[] {
  const whole = value.trim();
  const isOneWord = !/\s/.test(whole) && !isOrdinary(whole);
  return [...new Set([...(isOneWord ? formsOf(whole) : []), ...value.split('\n').flatMap(tellingParts)])];
}

function namedSecrets(line: string): string[] {
  const found: string[] = [];
  hideRecognised(line, (secret) => found.push(...formsOf(secret)));
  return found;
}

/** The values in objects of Kubernetes, without those that only name the objects; undefined for another text. */
function valuesOfManifest(text: string): string[] | undefined {
  if (text.length > maxParsedLength || !/kind/.test(text)) return undefined;
  const found: string[] = [];
  let isManifest = false;
  for (const document of parseAllDocuments(text, { schema: 'failsafe', logLevel: 'silent' })) {
    if (!('contents' in document) || document.errors.length > 0) return undefined;
    isManifest ||= isMap(document.contents) && document.has('kind');
    const isSecretObject = isMap(document.contents) && document.get('kind') === 'Secret';
    visit(document, {
      Scalar(key, node, path) {
        if (key === 'key' || typeof node.value !== 'string') return;
        const names = path.flatMap((parent) =>
          isPair(parent) && isScalar(parent.key) ? [String(parent.key.value)] : [],
        );
        const isSecretValue =
          secretKey.test(names.at(-1) ?? '') || (isSecretObject && secretObjectFields.has(names[0] ?? ''));
        if (isSecretValue) found.push(...formsOf(node.value), ...decodedForms(node.value));
        else if (!names.some((name) => namingFields.has(name)))
          found.push(...node.value.split('\n').flatMap(tellingParts));
      },
    });
  }
  return isManifest ? found : undefined;
}

/** A Secret has its data in base64, its user in plain text. */
function decodedForms(text: string): string[] {
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  const isText = /^[A-Za-z0-9+/\s]+=*\s*$/.test(text) && !/[^\t\n\r\u0020-\u{d7ff}]|\ufffd/u.test(decoded);
  return isText ? [decoded.trim(), ...decoded.split('\n').map((line) => line.trim())].flatMap(formsOf) : [];
}

/** A line and its words, as far as nobody would expect them in another file. */
function tellingParts(line: string): string[] {
  const words = line.split(/[\s"'`,;=(){}[\]<>]+/).map((word) => word.replace(/:$/, ''));
  const sentence = line.trim();
  const found = words.filter((word) => word.length >= minWordLength && !isOrdinary(word));
  return [
    ...(sentence.split(/\s+/).length > 2 && sentence.length >= minSentenceLength ? [sentence] : []),
    ...found.flatMap(formsOf),
  ];
}

const minSentenceLength = 16;
const minWordLength = 8;

/** Words, numbers, versions, names, paths, addresses and digests. A password has letters and digits, and none of their signs. */
function isOrdinary(word: string): boolean {
  if (word.includes('://') && word.includes('@')) return false;
  const maxDigits = /[./:]/.test(word) ? maxDigitsOfName : 0;
  return word
    .replace(/sha\d{3}:[0-9a-f]{32,}/, '')
    .split(/[^A-Za-z0-9]+/)
    .every(
      (part) =>
        (/^\d{0,6}$/.test(part) && (maxDigits > 0 || !/[A-Za-z]/.test(word))) ||
        (part.length < longWord && part.replaceAll(/\D/g, '').length <= maxDigits),
    );
}

/** As in `k8s`, `ipv4` and `v1beta1`. */
const maxDigitsOfName = 3;
const longWord = 20;

// Kinds that repeat what a user wrote into manifests and headers of the configuration, and that every role may read.
import { type Document, isMap, isScalar, isSeq, Scalar, stringify, visit } from 'yaml';
import { redactionMark } from './known-secrets.ts';
import { ownTextSecrets } from './own-texts.ts';

/** Hides the texts in a spec; returns their secrets. */
type HideTexts = (document: Document) => readonly string[];

const hideTextsOf: Readonly<Record<string, HideTexts>> = {
  'ExtraManifestsConfigs.kubernetes.talos.dev': (document) =>
    hideFields(document, new Set(['extraHeaders', 'inlineManifest'])),
  'Manifests.kubernetes.talos.dev': hideObjects,
};

export const holdsOwnTexts = (type: string): boolean => Object.hasOwn(hideTextsOf, type);

/** Hides what a user wrote, in the spec of a resource of this type. @returns the secrets in it, in all their forms */
export function hideOwnTexts(type: string, document: Document): readonly string[] {
  return hideTextsOf[type]?.(document) ?? [];
}

function hideFields(document: Document, names: ReadonlySet<string>): string[] {
  const secrets: string[] = [];
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !names.has(String(key.value))) return undefined;
      secrets.push(...hideScalars(value));
      return visit.SKIP;
    },
  });
  return secrets;
}

/** Names stay, because they show what was configured. */
function hideScalars(node: unknown): string[] {
  const secrets: string[] = [];
  const hide = (scalar: Scalar) => {
    const text = String(scalar.value ?? '');
    if (text === '') return;
    secrets.push(...ownTextSecrets(text));
    Object.assign(scalar, new Scalar(redactionMark));
  };
  if (isScalar(node)) hide(node);
  else if (isMap(node) || isSeq(node))
    visit(node, {
      Scalar: (key, scalar) => {
        if (key !== 'key') hide(scalar);
      },
    });
  return secrets;
}

/** Of a Kubernetes object only its kind and its name stay. */
function hideObjects(document: Document): string[] {
  if (!isSeq(document.contents)) return hideScalars(document.contents);
  return document.contents.items.flatMap((object) => {
    if (!isMap(object)) return hideScalars(object);
    const secrets = ownTextSecrets(stringify(object));
    for (const pair of object.items) {
      const name = isScalar(pair.key) ? String(pair.key.value) : '';
      if (name === 'apiVersion' || name === 'kind') continue;
      if (name === 'metadata' && isMap(pair.value))
        pair.value.items = pair.value.items.filter(
          ({ key }) => isScalar(key) && ['name', 'namespace'].includes(String(key.value)),
        );
      else pair.value = new Scalar(redactionMark);
    }
    return secrets;
  });
}

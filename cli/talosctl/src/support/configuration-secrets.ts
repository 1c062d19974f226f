import {
  type Configuration,
  encodeConfiguration,
  mapTexts,
  redactConfiguration,
} from '@nodewright/machine-config';
import { ownTextSecrets } from './own-texts.ts';
import { hideRecognised } from './secret-filter.ts';
import { formsOf } from './secret-forms.ts';
import { mapOwnTexts, shownConfiguration } from './shown-configuration.ts';

/**
 * All secrets of a configuration, in the forms in which they may appear elsewhere: those of its secret fields, what users wrote
 * into files, manifests and headers, and what is named as a secret in other fields, such as variables of an environment. What the
 * archive hides in the configuration, it hides in every other file.
 */
export function configurationSecrets(documents: Configuration): string[] {
  const found: string[] = [];
  const redacted = redactConfiguration(documents);
  for (const [index, { value }] of documents.entries()) {
    collect(value, redacted[index]?.value, (secret) => found.push(...formsOf(secret)));
    const addText = (text: string) => {
      found.push(...ownTextSecrets(text));
      return text;
    };
    mapOwnTexts(value, (own) => mapTexts(own, addText));
  }
  for (const line of encodeConfiguration(shownConfiguration(documents)).split('\n'))
    hideRecognised(line, (secret) => found.push(...formsOf(secret)));
  return [...new Set(found)];
}

/** A value that differs from the redacted document is a secret. */
function collect(value: unknown, redacted: unknown, add: (secret: string) => void): void {
  if (typeof value !== 'object' || value === null) {
    if (value !== redacted) add(String(value));
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    collect(child, (redacted as Readonly<Record<string, unknown>> | undefined)?.[key], add);
  }
}

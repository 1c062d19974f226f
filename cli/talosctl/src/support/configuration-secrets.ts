import {
  type Configuration,
  encodeConfiguration,
  mapTexts,
  redactConfiguration,
} from '@nodewright/machine-config';
import { ownTextSecrets, variableSecrets } from './own-texts.ts';
import { hideRecognised } from './secret-filter.ts';
import { formsOf } from './secret-forms.ts';
import { mapOwnTexts, shownConfiguration } from './shown-configuration.ts';

/**
 * All secrets of a configuration, in the forms in which they may appear elsewhere: those of its secret fields, what users wrote
 * into files, manifests and headers, what is named as a secret in other fields, and values of environments that are no ordinary
 * words. What the archive hides in the configuration, it hides in every other file.
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
    found.push(...environmentValues(value).flatMap(variableSecrets));
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

/** Each field with one of these names holds the variables of an environment. */
const environmentFields: ReadonlySet<string> = new Set(['env', 'environment']);

/** The values of all environments, also of those in manifests of static pods. */
function environmentValues(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    environmentFields.has(key) ? variablesOf(child) : environmentValues(child),
  );
}

/** From a map, from a list of `NAME=value`, or from the list of a Kubernetes container. */
function variablesOf(variables: unknown): string[] {
  if (typeof variables === 'string') return [variables.slice(variables.indexOf('=') + 1)];
  if (Array.isArray(variables))
    return variables.flatMap((variable: unknown) =>
      typeof variable === 'object' && variable !== null && 'value' in variable
        ? [String(variable.value)]
        : variablesOf(variable),
    );
  if (typeof variables !== 'object' || variables === null) return [];
  return Object.values(variables).flatMap((child) =>
    typeof child === 'string' ? [child] : variablesOf(child),
  );
}

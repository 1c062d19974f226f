import { createHash } from 'node:crypto';
import { arrangeDocument } from '../arrange-document.ts';
import { documentSchema } from '../schema/document-schema.ts';
import type { FieldMap } from '../schema/parse-schema.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import type { YamlMap, YamlValue } from '../yaml/yaml-value.ts';
import { type SecretForm, secretFields } from './secret-fields.ts';

// Creates configurations full of secrets, for tests.

type Draft = { [key: string]: Draft | Draft[] | string };

/** A document with a different secret in every secret field of its kind. */
export interface PlantedDocument {
  readonly text: string;
  readonly secrets: readonly string[];
}

/** Returns one document for each kind that has secret fields. */
export function plantSecrets(): PlantedDocument[] {
  return [...new Set(secretFields.map(({ kind }) => kind))].map((kind) => {
    const secrets: string[] = [];
    const draft: Draft = kind === 'v1alpha1' ? {} : { name: 'n' };
    const fields = documentSchema(kind)?.fields ?? new Map();
    if (!fields.has('name')) delete draft.name;
    for (const { path, form } of secretFields.filter((field) => field.kind === kind)) {
      const secret = `S${createHash('sha256').update(`${kind} ${path}`).digest('hex').slice(0, 30)}`;
      secrets.push(secret);
      const inside = form === 'secrets-inside' ? [...path, 'resources', 'secret'] : path;
      place(draft, inside, fields, plantedText(form, secret));
    }
    return { text: encodeYaml(arrangeDocument({ kind, value: draft as YamlMap }, 'natural')), secrets };
  });
}

function plantedText(form: SecretForm, secret: string): string {
  if (form === 'join-token') return `https://a/?jointoken=${secret}`;
  return form === 'url-password' ? `http://user:${secret}@proxy:3128` : secret;
}

function place(draft: Draft, path: readonly string[], fields: FieldMap, secret: string): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    draft[key] = secret;
    return;
  }
  const field = fields.get(key);
  if (rest[0] !== '*') {
    draft[key] ??= {};
    place(draft[key] as Draft, rest, field?.fields ?? new Map(), secret);
    return;
  }
  draft[key] ??= field?.type === 'map' ? { 'a.b': {} } : [{}];
  const child = draft[key] as Draft | Draft[];
  const element = Array.isArray(child) ? child[0] : (child['a.b'] as Draft);
  place(element as Draft, rest.slice(1), field?.fields ?? new Map(), secret);
}

/** Returns the secrets of which the message contains at least 8 consecutive characters. */
export function leaked(message: string, secrets: readonly string[]): YamlValue {
  const found = secrets.filter((secret) =>
    Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).some((part) =>
      message.includes(part),
    ),
  );
  return found;
}

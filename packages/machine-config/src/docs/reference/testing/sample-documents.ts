// Makes documents of the examples of the reference, and validates them.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { generateCertificateAuthority } from '@nodewright/pki';
import { loadConfiguration } from '../../../decode/load-configuration.ts';
import { DocumentReader } from '../../../effective/config-reader.ts';
import { documentVersion, legacyKind } from '../../../schema/document-schema.ts';
import { type FieldPath, fieldPaths } from '../../../schema/field-paths.ts';
import { validateConfiguration } from '../../../validate/validate-configuration.ts';
import { encodeYaml } from '../../../yaml/encode-yaml.ts';
import {
  isYamlList,
  isYamlMap,
  PlainScalar,
  type YamlMap,
  type YamlValue,
} from '../../../yaml/yaml-value.ts';
import { fieldReference } from '../field-reference.ts';

/** The key of the only entry of a map of objects. */
export const entryName = 'registry.example.org';

const header = (kind: string): YamlMap =>
  kind === legacyKind ? { version: documentVersion, debug: false } : { apiVersion: documentVersion, kind };

/** Returns the keys and list indices of a path of `fieldPaths()`. */
function keysOf(path: string): (string | number)[] {
  return path
    .split('.')
    .flatMap((part) => (part.endsWith('[]') ? [part.slice(0, -2), 0] : [part === '*' ? entryName : part]));
}

/** Decodes a document that has only the value at the path, and returns what it has become. */
export function decodedValue(kind: string, path: string, value: YamlValue): YamlValue | undefined {
  const [first = '', ...others] = keysOf(path);
  const nested = others.reduceRight<YamlValue>(
    (inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }),
    value,
  );
  const [document] = loadConfiguration(encodeYaml({ ...header(kind), [first]: nested }));
  if (document === undefined) throw new Error(`no document of kind ${kind}`);
  return new DocumentReader(document, keysOf(path)).value();
}

/** What a decoded example looks like: numbers are written in several notations. */
export const plainValue = (value: YamlValue) => (value instanceof PlainScalar ? Number(value.text) : value);

/** Returns the paths of fields without which their document, or the object that holds them, is refused. */
export function requiredPaths(kind: string): string[] {
  return [...fieldReference(kind)].filter(([, { isRequired }]) => isRequired).map(([path]) => path);
}

/**
 * Returns a document with the examples of its required fields and of the chosen ones. Objects on the way to
 * a chosen field have their required fields too.
 *
 * @param omitted a field to leave out though it is required
 */
export function assembleDocument(kind: string, chosen: readonly string[], omitted?: string): YamlMap {
  const reference = fieldReference(kind);
  const paths = fieldPaths(kind);
  const isOnTheWay = (path: string) =>
    chosen.some((one) => ['.', '[].'].some((end) => one.startsWith(path + end)));
  const isIncluded = (path: string) =>
    path !== omitted &&
    (reference.get(path)?.isRequired === true || chosen.includes(path) || isOnTheWay(path));

  function objectAt(base: string): YamlMap {
    const included = paths.filter(({ path }) => parentOf(path) === base && isIncluded(path));
    return Object.fromEntries(included.map((one) => [one.field.name, sampleOf(one)]));
  }

  function sampleOf({ path, field }: FieldPath): YamlValue {
    const { example } = reference.get(path) ?? {};
    if (example !== undefined && !isOnTheWay(path)) return example;
    if (field.type === 'bool') return true;
    if (field.type === 'list') return [objectAt(`${path}[]`)];
    if (field.type === 'map') return { [entryName]: objectAt(`${path}.*`) };
    return objectAt(path);
  }

  return { ...header(kind), ...objectAt('') };
}

function parentOf(path: string): string {
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
}

/** Validates a document by itself, and returns the errors that are about it. */
export async function findingsAbout(kind: string, value: YamlMap): Promise<string[]> {
  const configuration = loadConfiguration(encodeYaml(await withRealKeys(value)));
  const { errors } = validateConfiguration(configuration, { mode: 'cloud', local: true });
  const label = kind === legacyKind ? 'v1alpha1.Config' : kind;
  return errors.filter((error) => error.startsWith(label));
}

interface SampleKeys {
  readonly certificate: string;
  readonly key: string;
  readonly publicKey: string;
}

let made: Promise<SampleKeys> | undefined;

function sampleKeys(): Promise<SampleKeys> {
  made ??= generateCertificateAuthority({
    algorithm: 'ecdsa-p256',
    notBefore: new Date('2026-01-02T03:04:05Z'),
  }).then(({ certificate, key }) => ({
    certificate,
    // The released client takes no other form in RegistryTLSConfig.
    key: createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: createPublicKey(certificate).export({ type: 'spki', format: 'pem' }).toString(),
  }));
  return made;
}

/** A document of examples with real certificates and keys in place of the shortened ones. */
export async function withRealKeys(value: YamlMap): Promise<YamlMap> {
  return withKeys(value, await sampleKeys()) as YamlMap;
}

/** Replaces shortened certificates and keys by real ones. */
function withKeys(value: YamlValue, keys: SampleKeys): YamlValue {
  if (typeof value === 'string') return realText(value, keys);
  if (isYamlList(value)) return value.map((item) => withKeys(item, keys));
  if (!isYamlMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? undefined : withKeys(item, keys)]),
  );
}

function realText(text: string, { certificate, key, publicKey }: SampleKeys): string {
  const isEncoded = text.startsWith('LS0tLS1CRUdJTi');
  const plain = isEncoded ? Buffer.from(text, 'base64').toString() : text;
  const [, name] = /^-----BEGIN ([A-Z ]+)-----\n/.exec(plain) ?? [];
  if (name === undefined) return text;
  const real = name === 'CERTIFICATE' ? certificate : name === 'PUBLIC KEY' ? publicKey : key;
  return isEncoded ? Buffer.from(real).toString('base64') : real;
}

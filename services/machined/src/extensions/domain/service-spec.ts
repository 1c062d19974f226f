import { Fault, faultFrom } from '@nodewright/fault';
import { parse, Scalar, type ScalarTag, type Tags } from 'yaml';

/** What an extension service waits for before it starts. */
export type ServiceDependency =
  | { readonly kind: 'service'; readonly id: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'network'; readonly parts: readonly NetworkPart[] }
  | { readonly kind: 'time' }
  | { readonly kind: 'configuration' };

export const networkParts = ['addresses', 'connectivity', 'hostname', 'etcfiles'] as const;
export type NetworkPart = (typeof networkParts)[number];

const restartKinds = ['always', 'never', 'untilSuccess'] as const;
const propagations = ['shared', 'slave', 'private'] as const;

/** A mount, in the words of the OCI runtime specification. */
export interface ServiceMount {
  readonly source: string;
  readonly destination: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** An extension service, as its file describes it. */
export interface ExtensionServiceSpec {
  /** The service is `ext-<name>`. */
  readonly name: string;
  readonly container: {
    /** Path of the program in the root of the container. */
    readonly entrypoint: string;
    readonly args: readonly string[];
    /** `NAME=value` */
    readonly environment: readonly string[];
    /** A file of the node with more variables; empty if there is none. */
    readonly environmentFile: string;
    readonly mounts: readonly ServiceMount[];
    readonly security: {
      readonly writeableRootfs: boolean;
      readonly writeableSysfs: boolean;
      /** Undefined: those of every container. */
      readonly maskedPaths: readonly string[] | undefined;
      readonly readonlyPaths: readonly string[] | undefined;
      /** Undefined: that of every container. */
      readonly rootfsPropagation: (typeof propagations)[number] | undefined;
    };
  };
  readonly depends: readonly ServiceDependency[];
  readonly restart: (typeof restartKinds)[number];
  readonly logToConsole: boolean;
}

/** The name of an extension service. It becomes a part of paths. */
export const isServiceName = (name: string): boolean => /^[-_a-z0-9]{1,63}$/.test(name);

type Fields = Readonly<Record<string, unknown>>;

const wrong = (reason: string) => new Fault('invalid-argument', reason);

/**
 * Reads the file of an extension service. Fields that this version does not know are ignored, as in upstream.
 *
 * @throws Fault `invalid-argument` with one line that says what is wrong. Source: Talos v1.14: extension services, spec file.
 */
export function parseServiceSpec(text: string): ExtensionServiceSpec {
  const fields = mapping(parseYaml(text), 'the file');
  const name = textAt(fields, 'name');
  if (!isServiceName(name))
    throw wrong(`name ${JSON.stringify(name)} does not consist of up to 63 of a-z, 0-9, - and _`);
  const container = mapping(fields.container, 'container');
  return {
    name,
    container: {
      entrypoint: required(container, 'entrypoint'),
      args: textsAt(container, 'args') ?? [],
      environment: variablesAt(container, 'environment'),
      environmentFile: absoluteAt(container, 'environmentFile'),
      mounts: listAt(container, 'mounts').map(mountFrom),
      security: securityFrom(mapping(container.security ?? {}, 'security')),
    },
    depends: listAt(fields, 'depends').map(dependencyFrom),
    restart: chosenAt(fields, 'restart', restartKinds) ?? 'always',
    logToConsole: booleanAt(fields, 'logToConsole'),
  };
}

function securityFrom(fields: Fields): ExtensionServiceSpec['container']['security'] {
  return {
    writeableRootfs: booleanAt(fields, 'writeableRootfs'),
    writeableSysfs: booleanAt(fields, 'writeableSysfs'),
    maskedPaths: textsAt(fields, 'maskedPaths'),
    readonlyPaths: textsAt(fields, 'readonlyPaths'),
    rootfsPropagation: chosenAt(fields, 'rootfsPropagation', propagations),
  };
}

function mountFrom(value: unknown): ServiceMount {
  const fields = mapping(value, 'a mount');
  const destination = required(fields, 'destination');
  if (!destination.startsWith('/') || hasDots(destination))
    throw wrong(`destination ${JSON.stringify(destination)} of a mount is not an absolute path without ".."`);
  const source = textAt(fields, 'source');
  if (hasDots(source)) throw wrong(`source ${JSON.stringify(source)} of a mount has a part ".."`);
  return { source, destination, type: textAt(fields, 'type'), options: textsAt(fields, 'options') ?? [] };
}

const dependencyKinds = ['service', 'path', 'network', 'time', 'configuration'] as const;

function dependencyFrom(value: unknown): ServiceDependency {
  const fields = mapping(value, 'an entry of depends');
  const named = dependencyKinds.filter((kind) => (fields[kind] ?? undefined) !== undefined);
  const [kind, ...others] = named;
  if (kind === undefined || others.length > 0)
    throw wrong(`an entry of depends has not exactly one of ${dependencyKinds.join(', ')}`);
  switch (kind) {
    case 'service':
      return { kind, id: required(fields, kind) };
    case 'path':
      return { kind, path: absoluteAt(fields, kind, true) };
    case 'network': {
      const parts = textsAt(fields, kind) ?? [];
      const other = parts.find((part) => !networkParts.some((known) => known === part));
      if (parts.length === 0 || other !== undefined)
        throw wrong(
          `network of depends has ${JSON.stringify(other ?? '')}, and not ${networkParts.join(', ')}`,
        );
      return { kind, parts: networkParts.filter((part) => parts.includes(part)) };
    }
    default:
      if (!booleanAt(fields, kind)) throw wrong(`${kind} of depends is not true`);
      return { kind };
  }
}

/** A word that is true or false where one is asked for, and a text elsewhere. */
class WrittenBoolean {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): boolean {
    return /^t/i.test(this.text);
  }
}

const booleanTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:true|True|TRUE|false|False|FALSE)$/,
  resolve: (text) => new Scalar(new WrittenBoolean(text)),
  identify: (value) => value instanceof WrittenBoolean,
  stringify: ({ value }) => (value as WrittenBoolean).text,
};
/** No field is a number, and a number forgets how it was written: `0022`, `1.10`. */
const replacedTags = ['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float', booleanTag.tag];
const fieldTags = (tags: Tags): Tags => [
  ...tags.filter((each) => typeof each === 'string' || !replacedTags.includes(each.tag)),
  booleanTag,
];

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0, logLevel: 'error', customTags: fieldTags });
  } catch (error) {
    throw wrong(faultFrom(error).message.split('\n')[0] ?? '');
  }
}

function mapping(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof WrittenBoolean)
    throw wrong(`${what} is no mapping`);
  return value as Fields;
}

/** NUL ends the texts of the kernel. */
function textAt(fields: Fields, key: string): string {
  const value = fields[key] ?? '';
  if (value instanceof WrittenBoolean) return value.text;
  if (typeof value !== 'string' || value.includes('\0')) throw wrong(`${key} is no text`);
  return value;
}

function required(fields: Fields, key: string): string {
  const text = textAt(fields, key);
  if (text === '') throw wrong(`${key} is missing`);
  return text;
}

function listAt(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key] ?? [];
  if (!Array.isArray(value)) throw wrong(`${key} is no list`);
  return value;
}

/** Undefined when the key is missing, which may mean something else than an empty list. */
function textsAt(fields: Fields, key: string): readonly string[] | undefined {
  if ((fields[key] ?? undefined) === undefined) return undefined;
  return listAt(fields, key).map((value) => textAt({ [key]: value }, key));
}

function variablesAt(fields: Fields, key: string): readonly string[] {
  const variables = textsAt(fields, key) ?? [];
  const other = variables.find((variable) => !/^[^=]+=/.test(variable));
  if (other !== undefined)
    throw wrong(`${key} has ${JSON.stringify(other.slice(0, 20))}, which is not NAME=value`);
  return variables;
}

function absoluteAt(fields: Fields, key: string, isRequired = false): string {
  const path = isRequired ? required(fields, key) : textAt(fields, key);
  if (path !== '' && (!path.startsWith('/') || hasDots(path)))
    throw wrong(`${key} ${JSON.stringify(path)} is not an absolute path without ".."`);
  return path;
}

const hasDots = (path: string) => path.split('/').includes('..');

function booleanAt(fields: Fields, key: string): boolean {
  const value = fields[key] ?? undefined;
  if (value === undefined) return false;
  if (!(value instanceof WrittenBoolean)) throw wrong(`${key} is neither true nor false`);
  return value.value;
}

function chosenAt<T extends string>(fields: Fields, key: string, allowed: readonly T[]): T | undefined {
  const text = textAt(fields, key);
  if (text === '') return undefined;
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw wrong(`${key} is ${JSON.stringify(text)}, and not ${allowed.join(', ')}`);
  return found;
}

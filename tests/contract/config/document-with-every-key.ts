import type { KeyFact } from './read-config-facts.ts';

type Value = string | number | boolean | Value[] | { [key: string]: Value };

/** A sample value of each type. */
const samples: Readonly<Record<string, Value>> = {
  'string|integer': 1024,
  boolean: true,
  integer: 7,
  'array<string>': ['a', 'b'],
  'array<integer>': [1, 2],
  'array<integer|string>': [80, '90-99'],
  'map<string,string>': { key: 'value' },
  'map<string,boolean>': { key: true },
  'map<string,string|array>': { v: '4', feature: ['a', 'b'] },
  'map<string,string|array<string>>': { v: '4', feature: ['a', 'b'] },
  'object(free-form)': { any: ['thing'] },
  'array<object(free-form)>': [{ any: ['thing'] }],
};

/** Texts with a special format, by the last key of the path. */
const byKey: Readonly<Record<string, string>> = {
  hardwareAddr: '02:ab:00:00:00:01',
  bootTimeout: '1m',
  certLifetime: '1h',
  interval: '1h',
  timeout: '1m',
  sampleInterval: '1s',
  persistentKeepaliveInterval: '25s',
  transmitInterval: '1s',
  receiveInterval: '1s',
  holdTime: '90s',
};

/**
 * Values for addresses, prefixes and sizes, by the end of the path, in documents other than the legacy one.
 */
const forms: readonly (readonly [RegExp, Value])[] = [
  [
    /(?:^|\.)addresses\[\]\.address$|\.destination$|^(?:src|dst)$|^ingress\[\]\.(?:subnet|except)$/,
    '10.0.0.0/8',
  ],
  [
    /\.(?:gateway|source)$|^nameservers\[\]\.address$|^neighbors\[\]\.address$|^route(?:rID|Source)$/,
    '10.0.0.1',
  ],
  [/(?:min|max)Size$|minAllocationGroupSize$/, '10GiB'],
  [/^(?:pod|service)Subnets$|excludeAdvertisedNetworks$|allowedIPs$|\.prefixes$/, ['10.0.0.0/8']],
  [/^(?:arpIp|nsIp6)Targets$/, ['10.0.0.1']],
  [/(?:^|\.)table$/, 'main'],
  [/^wakeOnLan$/, ['magic']],
  [/^type$/, 'linear'],
];

/** The path below which "hardwareAddr" is a pattern in a device selector. */
const isPattern = (path: string) => path.includes('deviceSelector');

/**
 * A document of the kind with every key of the table, as JSON, which is also YAML. With `beside`, the object
 * at that path also holds the key `notAKey`.
 */
export function documentWithEveryKey(kind: string, keys: readonly KeyFact[], beside?: string): string {
  const root: { [key: string]: Value } = kind === 'v1alpha1' ? {} : { apiVersion: 'v1alpha1', kind };
  for (const key of keys) {
    const hasParts = keys.some(({ path }) => path.startsWith(`${key.path}.`));
    place(root, hasParts && key.type === 'object(free-form)' ? { ...key, type: 'object' } : key);
  }
  if (beside !== undefined) (objectAt(root, beside) as { [key: string]: Value }).notAKey = 1;
  return JSON.stringify(root);
}

function place(root: { [key: string]: Value }, { path, type, words }: KeyFact): void {
  const dot = path.lastIndexOf('.');
  const parent = objectAt(root, dot < 0 ? '' : path.slice(0, dot)) as { [key: string]: Value };
  const name = path.slice(dot + 1);
  parent[name] = sampleOf(path, name, type, words);
}

function sampleOf(path: string, name: string, type: string, words: readonly string[]): Value {
  // Objects whose mere presence is the setting.
  if (type === 'object' || name === 'nodeID') return {};
  if (type === 'array<object>') return [{}];
  if (type === 'map<string,object>') return { 'host.example': {} };
  const word = words.find((candidate) => candidate !== '');
  if (word !== undefined) return type.startsWith('array') ? [word] : word;
  const form = forms.find(([pattern]) => pattern.test(path))?.[1];
  if (form !== undefined && Array.isArray(form) === type.startsWith('array')) return structuredClone(form);
  if (type === 'string' && !isPattern(path) && Object.hasOwn(byKey, name)) return byKey[name] as string;
  if (type === 'string') return `text of ${path}`;
  const sample = samples[type];
  if (sample === undefined) throw new Error(`there is no sample of ${type}`);
  return structuredClone(sample);
}

/** The object at a path of the table: the first element of lists, the only value of maps. */
function objectAt(root: Value, path: string): Value {
  let value = root;
  for (const part of path === '' ? [] : path.split('.')) {
    const name = part.replace('[]', '');
    const object = value as { [key: string]: Value };
    value = (name === '*' ? Object.values(object)[0] : object[name]) as Value;
    if (Array.isArray(value)) value = value[0] as Value;
  }
  return value;
}

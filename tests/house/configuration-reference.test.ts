// The reference of the configuration says which settings a node does not act on. Nobody would correct that text when a
// part of machined begins to read a setting, or stops to, so here the readers of machined run over each field.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  ConfigReader,
  controlPlaneSettings,
  documentKinds,
  effectiveConfig,
  fieldPaths,
  kubeletSettings,
  kubernetesIdentity,
  legacyKind,
  manifestSettings,
} from '@nodewright/machine-config';
import { type FieldReference, fieldReference, notRead } from '@nodewright/machine-config/reference';
import { fieldsBeside } from '../../packages/machine-config/src/docs/reference/testing/sample-choices.ts';
import {
  assembleDocument,
  entryName,
} from '../../packages/machine-config/src/docs/reference/testing/sample-documents.ts';
import { sharedAddressesOf } from '../../services/machined/src/base/domain/shared-addresses.ts';
import { addressSpecsOf } from '../../services/machined/src/network/domain/address-documents.ts';
import {
  deviceAddresses,
  deviceLinks,
  deviceOperators,
  deviceRoutes,
  deviceVips,
  linksOfEntry,
  type PresentLink,
} from '../../services/machined/src/network/domain/device-configs.ts';
import { linkSpecsOf } from '../../services/machined/src/network/domain/link-documents.ts';
import {
  operatorSpecsOf,
  probeSpecsOf,
  vipOperatorSpecsOf,
} from '../../services/machined/src/network/domain/operator-documents.ts';
import {
  routeSpecsOf,
  routingRuleSpecsOf,
} from '../../services/machined/src/network/domain/route-documents.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** Fields that controllers and calls of machined read themselves. */
const readInControllers: readonly string[] = [
  // volumes/controllers/volume-controllers.ts
  ...['VolumeConfig name', 'VolumeConfig provisioning.minSize', 'VolumeConfig provisioning.maxSize'],
  'VolumeConfig provisioning.grow',
];

/** Fields that say nothing that a node could act on. */
const informative: readonly string[] = ['v1alpha1 version', 'v1alpha1 persist'];

/**
 * Values that effectiveConfig() computes and no node uses, with the fields that they are made of. When machined begins
 * to use one, the fields lose their `notApplied`, and the row goes.
 */
const unused: readonly { readonly value: RegExp; readonly fields: RegExp }[] = [
  { value: /\beffective\??\.debug\b/, fields: /^v1alpha1 debug$/ },
  { value: /\beffective\??\.install\b/, fields: /^(?:v1alpha1 machine\.install|UnattendedInstallConfig )/ },
  { value: /\bkubeSpan\b/, fields: /^(?:v1alpha1 machine\.network\.kubespan\.|KubeSpanConfig )/ },
  { value: /\bworkloadIsolation\b/, fields: /^SecurityProfileConfig / },
  { value: /\bzswap\b/, fields: /^ZswapConfig / },
  { value: /\btrustedRoots\b/, fields: /^TrustedRootsConfig / },
];

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Wraps a value so that `read` gets the path of each part that is read. */
function recorded<V>(value: V, path: string, read: Set<string>): V {
  if (!isNode(value)) return value;
  return new Proxy(value, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return part;
      const inside = Array.isArray(target) ? `${path}[]` : path === '' ? key : `${path}.${key}`;
      if (!(Array.isArray(target) && key === 'length')) read.add(inside);
      return recorded(part, inside, read);
    },
  });
}

/** A link that every selector of the examples is compared with. */
const presentLink = {
  name: 'eth0',
  spec: { type: 'ether', kind: '', busPath: '', hardwareAddr: '', permanentAddr: '', pciID: '', driver: '' },
} as PresentLink;

/** Runs the code of machined that reads documents. */
function readAll(reader: ConfigReader): void {
  const devices = reader.legacy
    .items('machine', 'network', 'interfaces')
    .flatMap((entry) => linksOfEntry(entry, [presentLink]).map((name) => ({ name, entry })));
  for (const read of [deviceLinks, deviceAddresses, deviceRoutes, deviceOperators, deviceVips]) read(devices);
  for (const read of [linkSpecsOf, addressSpecsOf, routeSpecsOf, routingRuleSpecsOf]) read(reader);
  for (const read of [operatorSpecsOf, vipOperatorSpecsOf, probeSpecsOf, sharedAddressesOf]) read(reader);
  for (const read of [kubernetesIdentity, controlPlaneSettings, kubeletSettings, manifestSettings])
    read(reader);
}

/** Whether a field is read, in a document that has it. */
function isRead(kind: string, path: string): boolean {
  const read = new Set<string>();
  const value = recorded(assembleDocument(kind, fieldsBeside(kind, path)), '', read);
  const controlPlane = {
    kind: legacyKind,
    value: { version: 'v1alpha1', machine: { type: 'controlplane' } },
  };
  const documents = [...(kind === legacyKind ? [] : [controlPlane]), { kind, value }];
  effectiveConfig(documents);
  readAll(new ConfigReader(documents));
  const wanted = path.replaceAll('*', entryName);
  return (
    read.has(wanted) || [...read].some((one) => one.startsWith(`${wanted}[`) || one.startsWith(`${wanted}.`))
  );
}

/** What a reference says about a field, or about what the field is in. */
function noteOf(reference: ReadonlyMap<string, FieldReference>, path: string): string | undefined {
  const own = reference.get(path)?.notApplied;
  if (own !== undefined || path === '') return own;
  return noteOf(reference, path.includes('.') ? path.replace(/(?:\[\]|\.\*)?\.[^.]+$/, '') : '');
}

const objects = new Set(['obj', 'list', 'map']);

test('the reference says of a setting that it has no effect, exactly when no node reads it', () => {
  const wrong: string[] = [];
  for (const kind of documentKinds) {
    const reference = fieldReference(kind);
    for (const { path, field } of fieldPaths(kind)) {
      const name = `${kind} ${path}`;
      if (objects.has(field.type) || informative.includes(name)) continue;
      if (reference.get(path)?.help.startsWith('Ignored')) continue;
      const note = noteOf(reference, path);
      const isUsed =
        readInControllers.includes(name) ||
        (isRead(kind, path) && !unused.some(({ fields }) => fields.test(name)));
      if (!isUsed && note === undefined) wrong.push(`${name}: not read, so it needs notApplied`);
      if (isUsed && note === notRead) wrong.push(`${name}: read, so notApplied is wrong`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('no part of machined, and no package, uses the values that are listed as unused', () => {
  const sources = globSync('{services/machined,packages/*}/src/**/*.ts', { cwd: checkout })
    .filter((file) => !/\.test\.ts$|^packages\/(?:machine-config|contract|state)\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(checkout, file), 'utf8') }));
  const used = unused.flatMap(({ value }) =>
    sources.filter(({ text }) => value.test(text)).map(({ file }) => `${value}: ${file}`),
  );
  assert.deepEqual(used, []);
});

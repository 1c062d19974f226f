// The definitions of kinds have the same contents as the table of facts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldTable, namespaces, type ResourceKind, resourceDefinitions } from '@nodewright/state';
import { nodeKinds, nodeNamespaces } from '@nodewright/state/kinds';
import { resourceFacts } from './resource-facts.ts';

/** The fields as the table has them; a message within is `message` there, and its fields stand below it. */
function linesOf(fields: FieldTable): string[] {
  return Object.entries(fields).flatMap(([key, { number, type, omitEmpty, isInlined }]) => {
    const name = isInlined ? '(inlined)' : `${key}${omitEmpty ? '?' : ''}`;
    const inner = type.shape.word.includes('message') ? linesOf(type.shape.fields ?? {}) : [];
    return [`${name} ${number} ${type.shape.word}`, ...inner.map((line) => `  ${line}`)];
  });
}

/** The same lines from the table. */
function linesOfFacts(fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    const [, head = '', name = '', tail = ''] = /^(.* )(?:map<)?(\w+)([\]?[>]*)$/.exec(field) ?? [];
    const inner = resourceFacts.messages[name];
    if (name === 'EthernetFeatureStatusList') {
      return linesOfFacts([`${head}EthernetFeatureStatus[]`]);
    }
    if (inner === undefined) return [field];
    const word = field.includes(' map<') ? `map<message${tail}` : `message${tail}`;
    return [`${head}${word}`, ...linesOfFacts(inner).map((line) => `  ${line}`)];
  });
}

function factsOf({ type, namespace, aliases, printColumns, isSensitive, codec }: ResourceKind) {
  const lines = linesOf(codec.fields ?? {});
  return {
    type,
    namespace,
    aliases: [...new Set(aliases)].join(' '),
    columns: Object.fromEntries(printColumns.map(({ name, jsonPath }) => [name, jsonPath])),
    sensitive: isSensitive,
    fields: codec.isBare ? lines.map((line) => line.replace(/^value /, '(bare) ')) : lines,
  };
}

/** Kinds of our own are not in the table, which is upstream's. */
const isOurOwn = (type: string) => type.endsWith('.nodewright.dev');

test('every kind of the table is defined exactly as in the table, and every other kind is our own', () => {
  const expected = resourceFacts.kinds.map(({ columns = {}, sensitive = false, fields, ...rest }) => ({
    ...rest,
    columns,
    sensitive,
    fields: linesOfFacts(fields),
  }));
  const actual = new Map(nodeKinds.map((kind) => [kind.type, factsOf(kind)]));
  for (const facts of expected) assert.deepEqual(actual.get(facts.type), facts);
  const types = nodeKinds.map(({ type }) => type).filter((type) => !isOurOwn(type));
  assert.deepEqual(types.sort(), expected.map(({ type }) => type).sort());
});

test('the columns of a kind are in the order of the table', () => {
  for (const { type, columns = {} } of resourceFacts.kinds) {
    const kind = nodeKinds.find((other) => other.type === type);
    assert.deepEqual(
      kind?.printColumns.map(({ name }) => name),
      Object.keys(columns),
      type,
    );
  }
});

test('the short names of more than one kind are those of the table', () => {
  const owners = new Map<string, Set<string>>();
  for (const { type, allAliases } of [resourceDefinitions, namespaces, ...nodeKinds]) {
    for (const alias of allAliases) owners.set(alias, (owners.get(alias) ?? new Set()).add(type));
  }
  const ambiguous = [...owners].filter(([, types]) => types.size > 1).map(([alias]) => alias);
  assert.deepEqual(ambiguous.sort(), [...resourceFacts.ambiguous].sort());
});

test('the namespaces are those of the table, in its order', () => {
  assert.deepEqual(Object.keys(nodeNamespaces), resourceFacts.namespaces);
});

test('every enumeration and set of flags has the texts and numbers of the table', () => {
  const words = new Map<string, FieldTable[string]['type']>();
  const visit = (fields: FieldTable) => {
    for (const { type } of Object.values(fields)) {
      words.set(type.shape.word.replace(/\?$|\[\]$/, ''), type);
      visit(type.shape.fields ?? {});
    }
  };
  for (const { codec } of nodeKinds) visit(codec.fields ?? {});
  const used = [...words.keys()].filter((word) => word.startsWith('enum ')).map((word) => word.slice(5));
  assert.deepEqual(used.sort(), Object.keys(resourceFacts.enumerations).sort());
  for (const [name, table] of Object.entries(resourceFacts.enumerations)) {
    const { values } = words.get(`enum ${name}`)?.shape ?? {};
    assert.deepEqual(values, table, name);
  }
});

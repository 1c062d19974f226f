// What `talosctl get` shows of every kind that a node registers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeYaml, MemoryState, registerKind, registerMeta } from '@nodewright/state';
import { nodeKinds } from '@nodewright/state/kinds';
import { parse } from 'yaml';
import { listDefinitions, resolveKind } from '../../../cli/talosctl/src/get/resolve-kind.ts';
import { resourceColumns } from '../../../cli/talosctl/src/get/resource-table.ts';
import { resourceFacts } from './resource-facts.ts';

const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
await registerMeta(state);
for (const kind of nodeKinds) await registerKind(state, kind);
const definitions = await listDefinitions(state);

test('every kind is found by each of its names, except names that several kinds share', () => {
  const ambiguous = new Set(resourceFacts.ambiguous);
  for (const { type, id, allAliases } of nodeKinds) {
    assert.equal(resolveKind(definitions, id).type, type);
    assert.equal(resolveKind(definitions, type).type, type);
    for (const alias of allAliases) {
      const find = () => resolveKind(definitions, alias).type;
      if (ambiguous.has(alias)) assert.throws(find, { kind: 'invalid-argument' }, alias);
      else assert.equal(find(), type, alias);
    }
  }
});

test('every kind is shown in the columns of the table of facts, whatever its spec holds', () => {
  for (const { type, columns = {} } of resourceFacts.kinds) {
    const kind = nodeKinds.find((other) => other.type === type);
    assert.ok(kind, type);
    const { header, row } = resourceColumns(resolveKind(definitions, type), false);
    const own = Object.keys(columns).map((column) => column.toUpperCase());
    assert.deepEqual(header, ['NODE', 'NAMESPACE', 'TYPE', 'ID', 'VERSION', ...own]);
    const spec = parse(encodeYaml(kind.codec.toYaml(kind.codec.fromProto(new Uint8Array()))));
    const metadata = { namespace: 'n', type, id: 'i', version: '1' };
    const cells = row({ node: '10.0.0.1', metadata, spec } as never);
    assert.deepEqual(
      [cells.length, ...cells.slice(0, 5)],
      [header.length, '10.0.0.1', 'n', kind.displayType, 'i', '1'],
    );
  }
});

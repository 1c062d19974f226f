import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arrangeDocument } from './arrange-document.ts';
import { loadConfiguration } from './decode/load-configuration.ts';
import { encodeConfiguration } from './encode-configuration.ts';
import { arbitraryDocument } from './schema/arbitrary-document.ts';
import { documentKinds, legacyKind } from './schema/document-schema.ts';

const noComments = { docs: false, examples: false };

test('a document of any kind is decoded to the same value after it was encoded', () => {
  for (const kind of documentKinds) {
    fc.assert(
      fc.property(arbitraryDocument(kind), (value) => {
        // Without `machine` or `cluster`, the decoder cannot recognize the legacy document.
        const document = { kind, value: kind === legacyKind ? { machine: {}, ...value } : value };
        fc.pre(!isLinkWithItself(document.value));
        const written = encodeConfiguration([document]);
        const [read] = loadConfiguration(written);
        // Fields that are always written are decoded as empty when they were missing.
        assert.deepEqual(
          arrangeDocument({ kind, value: read?.value ?? {} }, 'natural'),
          arrangeDocument(document, 'natural'),
        );
        const [again] = loadConfiguration(encodeConfiguration([read as NonNullable<typeof read>]));
        assert.deepEqual(again?.value, read?.value);
      }),
      { numRuns: 15 },
    );
  }
});

test('a document of any kind is decoded to the same value with and without comments', () => {
  for (const kind of documentKinds) {
    fc.assert(
      fc.property(arbitraryDocument(kind), (value) => {
        const document = { kind, value: kind === legacyKind ? { machine: {}, ...value } : value };
        fc.pre(!isLinkWithItself(document.value));
        const [plain] = loadConfiguration(encodeConfiguration([document], noComments));
        const [commented] = loadConfiguration(
          encodeConfiguration([document], { docs: true, examples: false }),
        );
        assert.deepEqual(commented?.value, plain?.value);
      }),
      { numRuns: 5 },
    );
  }
});

/** The decoder rejects a veth pair in which both ends have the same name. */
function isLinkWithItself(value: ReturnType<typeof arrangeDocument>): boolean {
  const { peer } = value;
  return (
    typeof peer === 'object' &&
    peer !== null &&
    'name' in peer &&
    peer.name === value.name &&
    value.name !== ''
  );
}

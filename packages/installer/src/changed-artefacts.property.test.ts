// Random changes: whatever is done to an artefact that was signed, reading it ends with a Fault or with exactly the files that were
// signed. And whatever a signer puts into a layer, the sink gets no file but those of the list, each once and with its digest.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { WrittenEntry } from '@nodewright/extensions/testing';
import { Fault } from '@nodewright/fault';
import { openDistributionClient } from '@nodewright/oci';
import { noTelemetry } from '@nodewright/telemetry';
import fc from 'fast-check';
import { openArtefact, readArtefact, verifyArtefact } from './index.ts';
import { createArtefactSigner, goodFiles, layoutArchiveOf, platform, testArtefact } from './testing/index.ts';

const work = mkdtempSync(join(tmpdir(), 'changed-artefacts-'));
after(() => rmSync(work, { recursive: true, force: true }));
const registry = openDistributionClient({ telemetry: noTelemetry });
after(() => registry[Symbol.dispose]());
const signer = createArtefactSigner();
const path = join(work, 'artefact.tar');

const digestOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** @returns the digests of the files that the sink got whole, in their order; undefined when the artefact is refused */
async function read(archive: Uint8Array) {
  writeFileSync(path, archive);
  const complete: (readonly [path: string, sha256: string])[] = [];
  try {
    await using content = await openArtefact(path, { registry, platform, nowMs: () => 0 });
    const artefact = await verifyArtefact(content, { certificates: [signer.certificate], platform });
    await readArtefact(content, artefact, {
      sink: {
        async write(file, bytes) {
          const hash = createHash('sha256');
          for await (const piece of bytes) hash.update(piece);
          complete.push([file.path, hash.digest('hex')]);
        },
      },
    });
    return { complete, isWhole: true };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    assert.match(error.kind, /^(invalid-argument|data-loss|permission-denied|failed-precondition)$/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
    assert.doesNotMatch(error.message, /[\x00-\x1f]/);
    return { complete, isWhole: false };
  }
}

const expected = goodFiles.flatMap((layer) =>
  Object.entries(layer).map(([name, content]) => [name, digestOf(content)] as const),
);
const isExpected = ([name, sha256]: readonly [string, string]) =>
  expected.some(([path, digest]) => path === name && digest === sha256);

const change = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), at: fc.nat(), value: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), value: fc.nat({ max: 3000 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(), value: fc.nat({ max: 3000 }) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), value: fc.nat({ max: 255 }) }),
);

function changed(bytes: Buffer, { kind, at, value }: { kind: string; at: number; value: number }): Buffer {
  const place = at % bytes.length;
  const [before, behind] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (kind === 'cut') return Buffer.concat([before, behind.subarray(value)]);
  if (kind === 'repeat') return Buffer.concat([before, behind.subarray(0, value), behind]);
  if (kind === 'insert') return Buffer.concat([before, Buffer.of(value), behind]);
  return Buffer.concat([before, Buffer.of(value), behind.subarray(1)]);
}

for (const isCompressed of [false, true]) {
  const whole = layoutArchiveOf(testArtefact({ signer, isCompressed }));

  test(`an artefact that was changed anywhere is refused or is read as it was signed, ${isCompressed ? 'compressed' : 'plain'}`, async () => {
    assert.deepEqual(await read(whole), { complete: expected, isWhole: true });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const { complete, isWhole } = await read(changes.reduce(changed, whole));
        assert.ok(complete.every(isExpected));
        if (isWhole) assert.deepEqual(complete, expected);
        else refused += 1;
      }),
      { numRuns: 300 },
    );
    assert.ok(refused > 100, `only ${refused} were refused: the changes hit nothing`);
  });
}

const name = fc.oneof(
  fc.constantFrom('machine/vmlinuz', 'machine/initramfs', '../x', '/x', './machine/vmlinuz', 'machine', ''),
  fc.string({ maxLength: 12 }),
);
const entry: fc.Arbitrary<WrittenEntry> = fc.record(
  {
    name,
    type: fc.constantFrom('0', '5', '2', '1', '3', 'S', 'x', 'L', 'g'),
    content: fc.oneof(fc.constant(''), fc.string({ maxLength: 700 })),
    target: name,
    extended: fc.dictionary(fc.constantFrom('path', 'size', 'linkpath'), name, { maxKeys: 2 }),
  },
  { requiredKeys: ['name'] },
);

test('what a signer adds to a layer never reaches the sink', async () => {
  let whole = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(entry, fc.nat({ max: 9 })), { maxLength: 3 }),
      fc.boolean(),
      async (added, isCompressed) => {
        const entries = (given: readonly WrittenEntry[], layer: number) => {
          const changedEntries = [...given];
          if (layer === 0) for (const [one, at] of added) changedEntries.splice(at, 0, one);
          return changedEntries;
        };
        const found = await read(layoutArchiveOf(testArtefact({ signer, entries, isCompressed })));
        assert.ok(found.complete.every(isExpected));
        if (found.isWhole) assert.deepEqual(found.complete, expected);
        if (found.isWhole) whole += 1;
      },
    ),
    { numRuns: 200 },
  );
  assert.ok(whole > 5, `only ${whole} were read`);
});

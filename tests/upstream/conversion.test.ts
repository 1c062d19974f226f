// The released client knows the form of 1.13. It judges configurations before they are converted, and those that were converted back.
// No program of others judges documents of 1.14 here.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  type ConversionNote,
  convertConfigurationText,
  encodeConfiguration,
  loadConfiguration,
} from '@nodewright/machine-config';
import { conversionCorpus } from '../contract/config/conversion-corpus.ts';
import { runClient } from './run-client.ts';

const timeoutMs = 120_000;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upstream-conversion-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** What the released client says about a configuration; undefined when it is valid. */
async function refusalOf(text: string): Promise<string | undefined> {
  const file = join(folder, 'config.yaml');
  await writeFile(file, text);
  const { exitCode, stdout, stderr } = await runClient(['validate', '-c', file, '-m', 'cloud'], {
    ...{ folder, timeoutMs, talosconfig: join(folder, 'none') },
  });
  if (exitCode === 0) {
    assert.match(stdout + stderr, /is valid for cloud mode/);
    return undefined;
  }
  return `exit code ${exitCode}: ${stdout}${stderr}`;
}

/**
 * What the client says about a text that was converted back. Kinds and keys that 1.14 added and that have no section stay, which a note has to
 * say; the client does not know them, so it gets the text without the documents that have them.
 */
async function refusalOfBack(text: string, notes: readonly ConversionNote[]): Promise<string | undefined> {
  let documents = loadConfiguration(text);
  for (;;) {
    const left = documents.length;
    const refusal = await refusalOf(
      left === loadConfiguration(text).length ? text : encodeConfiguration(documents),
    );
    const unknown = unknownIn(refusal ?? '');
    if (unknown === undefined) return refusal;
    const { kind: unknownKind, keys } = unknown;
    const named = notes.filter(({ kind, key }) => kind === 'kept' && key.split(/[/:]/)[0] === unknownKind);
    const isNamed = keys.every((key) =>
      named.some((note) => note.key.split(': ')[1]?.startsWith(key) === true),
    );
    if (named.length === 0 || !isNamed) return `no note says that this stays: ${refusal}`;
    documents = documents.filter(({ kind }) => kind !== unknownKind);
    assert.ok(documents.length < left, `${unknownKind} is refused and not there`);
  }
}

/** The kind that the client does not know, or the one with the keys on the highest level that have something that it does not know. */
function unknownIn(refusal: string): { readonly kind: string; readonly keys: readonly string[] } | undefined {
  const [, unknown] = /"(\w+)" "v1alpha1": not registered/.exec(refusal) ?? [];
  if (unknown !== undefined) return { kind: unknown, keys: [] };
  const [, kind, keys] =
    /document v1alpha1\/(\w+)\/.*: unknown keys found during decoding:\n(.*)/s.exec(refusal) ?? [];
  if (kind === undefined || keys === undefined) return undefined;
  return { kind, keys: [...keys.matchAll(/^(\w+):/gm)].map(([, key = '']) => key) };
}

const { entries } = await conversionCorpus();

test('the corpus has both forms', () => {
  const count = (form: string) => entries.filter((entry) => entry.form === form).length;
  assert.ok(count('sections') > 40 && count('documents') > 5, `${count('sections')} ${count('documents')}`);
});

for (const { name, text, form } of entries) {
  if (form === 'sections')
    test(`the released client accepts this configuration before its conversion: ${name}`, async () => {
      assert.equal(await refusalOf(text), undefined);
    });
  test(`the released client accepts this configuration when it was converted back: ${name}`, async () => {
    const there = form === 'sections' ? convertConfigurationText(text).text : text;
    const back = convertConfigurationText(there, { to: 'sections' });
    assert.equal(await refusalOfBack(back.text, back.notes), undefined);
  });
}

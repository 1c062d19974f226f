import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { generateConfig } from '../generate/generate-config.ts';
import { minors, sampleInput, types } from '../generate/sample-input.ts';
import { applyPatches } from '../patch/apply-patches.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { arbitraryDocument } from '../schema/arbitrary-document.ts';
import { documentKinds } from '../schema/document-schema.ts';
import { encodeKeepingComments } from './encode-keeping-comments.ts';

const source = `# head of the file
# second line

# above machine
machine: # behind machine
  # above type
  type: worker # behind type
  token: "#no # comment"
  # below token, above network

  # after an empty line
  network:
    # first in network
    hostname: a # name
    nameservers: # servers
      # above one
      - 1.1.1.1 # one
      # above two
      - 2.2.2.2
      # below two
    interfaces:
      # above the link
      - interface: e # e
        # above dhcp
        dhcp: true
    # below interfaces
  # below network
# above cluster
cluster: {} # empty
# end of the first
---
# head of the second
apiVersion:   v1alpha1 # odd spacing
kind: HostnameConfig
auto: 'off'
# the end
`;

const patched = (text: string, patch: string) =>
  encodeKeepingComments(applyPatches(loadConfiguration(text), [parsePatch(patch)]), text);

test('encodeKeepingComments() keeps every comment in place, and the bytes of unchanged documents', () => {
  assert.equal(
    patched(source, 'machine: { network: { hostname: b, nameservers: [3.3.3.3] } }'),
    `# head of the file
# second line

version: ""

# above machine
machine: # behind machine
    # above type
    type: worker # behind type
    token: '#no # comment'
    certSANs: []
    # below token, above network

    # after an empty line
    network:
        # first in network
        hostname: b # name
        interfaces:
              # above the link
            - interface: e # e
              # above dhcp
              dhcp: true
        # below interfaces
        nameservers: # servers
            # above one
            - 1.1.1.1 # one
            # above two
            - 2.2.2.2
            # below two
            - 3.3.3.3
    # below network
# above cluster
cluster: {} # empty
# end of the first
---
# head of the second
apiVersion:   v1alpha1 # odd spacing
kind: HostnameConfig
auto: 'off'
# the end
`,
  );
});

test('encodeKeepingComments() returns the same text when nothing changed', () => {
  assert.equal(encodeKeepingComments(loadConfiguration(source), source), source);
});

test('encodeKeepingComments() keeps the text before the `---` of the first document', () => {
  const text = '# head\n---\n# about it\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a # name\n';
  const changed = patched(text, 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: b\n');
  assert.equal(changed, text.replace('hostname: a', 'hostname: b'));
});

test('encodeKeepingComments() adds new documents, and removes deleted ones with their comments', () => {
  const text = patched(
    source,
    'apiVersion: v1alpha1\nkind: HostnameConfig\n$patch: delete\n---\napiVersion: v1alpha1\nkind: DummyLinkConfig\nname: d\n',
  );
  assert.equal(text.startsWith(source.slice(0, source.indexOf('---'))), true);
  assert.equal(
    text.slice(source.indexOf('---')),
    '---\napiVersion: v1alpha1\nkind: DummyLinkConfig\nname: d\n',
  );
});

test('encodeKeepingComments() keeps the comments of a generated configuration', () => {
  const commentsOf = (text: string) =>
    text.split('\n').flatMap((line) => /(?:^|\s)# (.*)$/.exec(line)?.[1]?.trim() ?? []);
  for (const type of types) {
    for (const minor of minors) {
      const text = generateConfig({
        ...sampleInput(type, {}, minor),
        comments: { docs: true, examples: true },
      });
      const after = patched(
        text,
        'machine: { sysctls: { a: b } }\ncluster: { adminKubeconfig: { certLifetime: 1h } }',
      );
      assert.deepEqual(commentsOf(after).sort(), commentsOf(text).sort(), `${type} 1.${minor}`);
      assert.equal(
        encodeConfiguration(loadConfiguration(after)),
        encodeConfiguration(
          applyPatches(loadConfiguration(text), [
            parsePatch('machine: { sysctls: { a: b } }\ncluster: { adminKubeconfig: { certLifetime: 1h } }'),
          ]),
        ),
      );
    }
  }
});

test('encodeKeepingComments() writes text that decodes to the changed configuration, whatever the comments', () => {
  const commented = fc.constantFrom(...documentKinds).chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      before: arbitraryDocument(kind),
      after: arbitraryDocument(kind),
      lines: fc.array(fc.nat({ max: 200 }), { maxLength: 8 }),
    }),
  );
  fc.assert(
    fc.property(commented, ({ kind, before, after, lines }) => {
      const whole = kind === 'v1alpha1' ? { machine: {} } : { name: 'n' };
      const head = (value: object) => [{ kind, value: { ...value, ...(kind === 'v1alpha1' ? whole : {}) } }];
      const plain = encodeConfiguration(head(before)).split('\n');
      for (const [at, line] of lines.entries())
        plain.splice(line % plain.length, 0, `${' '.repeat(line % 9)}# comment ${at}`);
      const text = plain.join('\n');
      let loaded: ReturnType<typeof loadConfiguration>;
      try {
        loaded = loadConfiguration(text);
      } catch {
        // A comment may end a multi-line text early, or two links may have the same name.
        return;
      }
      const changed = head(after).map((document) => ({
        ...document,
        value: { ...document.value, name: loaded[0]?.value.name },
      }));
      const written = encodeKeepingComments(changed, text);
      assert.equal(encodeConfiguration(loadConfigurationLeniently(written)), encodeConfiguration(changed));
    }),
    { numRuns: 300 },
  );
});

/** Skips the test case when two links have the same name. */
function loadConfigurationLeniently(text: string): ReturnType<typeof loadConfiguration> {
  try {
    return loadConfiguration(text);
  } catch (error) {
    if (/conflicting link/.test(String(error))) fc.pre(false);
    throw error;
  }
}

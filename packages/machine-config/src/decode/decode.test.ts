import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeConfiguration } from '../encode-configuration.ts';
import { documentKinds, documentSchema } from '../schema/document-schema.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { loadConfiguration } from './load-configuration.ts';

const document = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}`;
const normalized = (text: string) => encodeConfiguration(loadConfiguration(text));

/** The message of the `invalid-argument` fault, or `accepted`. */
function refusal(text: string): string {
  try {
    loadConfiguration(text);
  } catch (error) {
    assert.equal((error as { kind?: string }).kind, 'invalid-argument');
    return (error as Error).message;
  }
  return 'accepted';
}

test('every document kind has a schema that can be parsed', () => {
  assert.deepEqual(
    documentKinds.filter((kind) => (documentSchema(kind)?.fields.size ?? 0) === 0),
    [],
  );
});

test('loadConfiguration() puts the legacy document first and keeps the order of the others', () => {
  const text = `${document('HostnameConfig', 'hostname: b\n')}---\nmachine: {}\n---\n${document('DHCPv4Config', 'name: eth0\n')}`;
  assert.deepEqual(
    loadConfiguration(text).map(({ kind }) => kind),
    ['v1alpha1', 'HostnameConfig', 'DHCPv4Config'],
  );
});

test('loadConfiguration() accepts the documented scalar forms, and the encoder writes the canonical ones', () => {
  assert.equal(
    normalized(`machine:
    network: { kubespan: { enabled: YES, mtu: 0x5_00 } }
    time: { bootTimeout: 90m }
    files:
        - { permissions: 0644, path: 5.10, content: yes, op: ~ }
        - { permissions: 0o600, path: /b }
    sysctls: { b: 1, a10: off, a9: true }
`),
    `version: ""
machine:
    type: ""
    token: ""
    certSANs: []
    network:
        kubespan:
            enabled: true
            mtu: 1280
    files:
        - content: "yes"
          permissions: 0o644
          path: "5.10"
          op: ""
        - content: ""
          permissions: 0o600
          path: /b
          op: ""
    time:
        bootTimeout: 1h30m0s
    sysctls:
        a9: "true"
        a10: "off"
        b: "1"
cluster: null
`,
  );
  assert.equal(
    normalized(
      document(
        'BondConfig',
        'name: bond0\nbondMode: Active-Backup\nhardwareAddr: 02AB:00:00:00:01\nlinks: [eth0, 10]\n',
      ),
    ),
    document(
      'BondConfig',
      'name: bond0\nhardwareAddr: 02:ab:00:00:00:01\nlinks:\n    - eth0\n    - "10"\nbondMode: active-backup\n',
    ),
  );
  assert.equal(
    normalized(
      document(
        'KubeAPIServerConfig',
        'image: x\nextraArgs: { v: 4, b: [1, two] }\nresources: { limits: { cpu: 0.5 } }\n',
      ),
    ),
    document(
      'KubeAPIServerConfig',
      'image: x\nextraArgs:\n    b:\n        - "1"\n        - two\n    v: "4"\nresources:\n    limits:\n        cpu: 0.5\n',
    ),
  );
});

test('loadConfiguration() keeps free-form parts unchanged', () => {
  const body =
    'config:\n    b: true\n    c:\n        - 0x10\n        - 1.5\n        - null\n        - "yes"\n        - no\n    "10": x\n';
  const [loaded] = loadConfiguration(document('KubeletConfig', `image: i\n${body}`));
  assert.deepEqual(loaded?.value.config, { 10: 'x', b: true, c: [16, 1.5, null, 'yes', 'no'] });
});

test('loadConfiguration() reports all unknown keys as a tree', () => {
  assert.equal(
    refusal(
      'machine:\n  typo: { b: 1, a: [x] }\n  files: [{ path: /a }, { pth: /b }]\ncluster: {}\nzzz: 1\n',
    ),
    'error decoding document v1alpha1/v1alpha1/ (line 1, column 1): unknown keys found during decoding:\n' +
      'machine:\n    files:\n        - pth: ...\n    typo:\n        a:\n            - ...\n        b: ...\nzzz: ...\n' +
      '  line 2, column 3: "typo" is not a key of machine\n' +
      '  line 3, column 27: "pth" is not a key of machine.files[1]\n' +
      '  line 5, column 1: "zzz" is not a key of the document',
  );
});

test('loadConfiguration() lists all values of a wrong type, shortened, each with its line', () => {
  assert.equal(
    refusal(
      document(
        'DHCPv4Config',
        'name: [a]\nrouteMetric: much-too-long-for-this\nignoreRoutes: "true"\nunknown: 1\n',
      ),
    ),
    'error decoding document v1alpha1/DHCPv4Config/ (line 1, column 1): yaml: construct errors:\n' +
      '  line 3, column 7: name: cannot construct !!seq into string\n' +
      '  line 4, column 14: routeMetric: cannot construct !!str `much-to...` into uint32\n' +
      '  line 5, column 15: ignoreRoutes: cannot construct !!str `true` into bool',
  );
});

test('loadConfiguration() strips leading empty lines, but not spaces, from an inline manifest', () => {
  const [legacy] = loadConfiguration(
    'cluster: { inlineManifests: [{ name: a, contents: "\\n\\t\\r\\n  a: b\\n\\n" }] }',
  );
  assert.deepEqual(legacy?.value.cluster, { inlineManifests: [{ name: 'a', contents: '  a: b\n\n' }] });
});

test('loadConfiguration() keeps addresses, prefixes and sizes as written, and rejects malformed ones', () => {
  const link = (route: string) => document('LinkConfig', `name: a\nroutes: [${route}]\n`);
  const volume = (provisioning: string) =>
    document('VolumeConfig', `name: EPHEMERAL\nprovisioning: ${provisioning}\n`);
  for (const text of [
    link('{ destination: "::ffff:10.0.0.0/104", gateway: fe80::1%eth0, source: "" }'),
    volume('{ minSize: 1.5 GB, maxSize: -10% }'),
    volume('{ minSize: 1073741824, maxSize: 25% }'),
  ])
    assert.equal(refusal(text), 'accepted', text);
  const rows: [string, string][] = [
    [
      link('{ destination: 10.0.0.0 }'),
      'routes[0].destination: cannot construct !!str `10.0.0.0` into IP prefix',
    ],
    [
      link('{ destination: 10.0.0.0/33 }'),
      'routes[0].destination: cannot construct !!str `10.0.0....` into IP prefix',
    ],
    [
      link('{ gateway: 10.0.0.256 }'),
      'routes[0].gateway: cannot construct !!str `10.0.0.256` into IP address',
    ],
    [
      volume('{ minSize: ten }'),
      'provisioning.minSize: cannot construct !!str `ten` into byte size or percentage',
    ],
    [
      volume('{ maxSize: 101% }'),
      'provisioning.maxSize: cannot construct !!str `101%` into byte size or percentage',
    ],
    [
      document('UserVolumeConfig', 'name: a\nfilesystem: { xfs: { minAllocationGroupSize: 1% } }\n'),
      'filesystem.xfs.minAllocationGroupSize: cannot construct !!str `1%` into byte size',
    ],
  ];
  for (const [text, expected] of rows)
    assert.equal(
      refusal(text)
        .split('\n')[1]
        ?.replace(/^ {2}line \d+, column \d+: /, ''),
      expected,
    );
});

test('loadConfiguration() rejects values outside the range of their fields', () => {
  const rows = [
    'machine: { network: { kubespan: { mtu: -1 } } }',
    'machine: { network: { kubespan: { mtu: 4294967296 } } }',
    'machine: { files: [{ permissions: 0o40000000000 }] }',
    'machine: { time: { bootTimeout: 5 } }',
  ];
  for (const text of rows)
    assert.match(
      refusal(text),
      /cannot construct !!int `-?(?:0o)?\d+(?:\.\.\.)?` into (?:uint32|file mode|duration)/,
    );
});

test('loadConfiguration() says why a document cannot be identified', () => {
  assert.deepEqual(
    [
      '',
      '# nothing\n---\n',
      'a: 1',
      'version: v1alpha1',
      'kind: X',
      document('Nope', ''),
      'apiVersion: v2\nkind: HostnameConfig',
      'apiversion: v1alpha1\nkind: HostnameConfig',
      'kind: toString\napiVersion: v1alpha1',
    ].map(refusal),
    [
      'config not found',
      'config not found',
      'missing kind (document 1, line 1, column 1)',
      'missing kind (document 1, line 1, column 1)',
      'missing apiVersion (document 1, line 1, column 1)',
      '"Nope" "v1alpha1": not registered (document 1, line 1, column 1)',
      '"HostnameConfig" "v2": not registered (document 1, line 1, column 1)',
      'missing apiVersion (document 1, line 1, column 1)',
      '"toString" "v1alpha1": not registered (document 1, line 1, column 1)',
    ],
  );
});

test('loadConfiguration() rejects duplicate and conflicting documents', () => {
  const vlan = (name: string) => document('VLANConfig', `name: ${name}\n`);
  const rows: [string[], string][] = [
    [
      [document('HostnameConfig', 'auto: off'), document('HostnameConfig', 'auto: stable')],
      'duplicate document v1alpha1/HostnameConfig/ is not allowed (line 5, column 1)',
    ],
    [[vlan('a'), vlan('a')], 'duplicate document v1alpha1/VLANConfig/a is not allowed (line 5, column 1)'],
    [['machine: {}', 'cluster: {}'], 'duplicate document v1alpha1// is not allowed (line 3, column 1)'],
    [[vlan('a'), vlan('b')], 'accepted'],
    [
      [document('UserVolumeConfig', 'name: v'), document('ExistingVolumeConfig', 'name: v')],
      'conflicting documents: UserVolumeConfig/v and ExistingVolumeConfig/v (document 2, line 5, column 1)',
    ],
    [
      [vlan('a'), document('DummyLinkConfig', 'name: a')],
      'conflicting documents: VLANConfig/a and DummyLinkConfig/a (document 2, line 5, column 1)',
    ],
    [
      [vlan('a'), document('VethConfig', 'name: b\npeer: { name: a }')],
      'conflicting link configurations: VLANConfig/a and VethConfig/b both configure "a" (document 2, line 5, column 1)',
    ],
  ];
  for (const [documents, expected] of rows)
    assert.equal(refusal(documents.map((text) => `${text.trimEnd()}\n`).join('---\n')), expected);
});

test('durations are written in the format of Go', () => {
  const rows: [string, string][] = [
    ['168h', '168h0m0s'],
    ['60s', '1m0s'],
    ['500ms', '500ms'],
    ['1.5s', '1.5s'],
    ['90m', '1h30m0s'],
    ['0', '0s'],
    ['-1h30s', '-1h0m30s'],
    ['1500us', '1.5ms'],
    ['.5h', '30m0s'],
    ['100ns', '100ns'],
  ];
  assert.deepEqual(
    rows.map(([text]) => formatDuration(parseDuration(text) ?? -1n)),
    rows.map(([, written]) => written),
  );
  assert.deepEqual(
    ['', '5', '1x', 'h', '1h 2m', '-', '300y', '9999999h'].map(parseDuration),
    Array(8).fill(undefined),
  );
});

test('parseDuration() reads back what formatDuration() wrote', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nanoseconds) => {
      assert.equal(parseDuration(formatDuration(nanoseconds)), nanoseconds);
    }),
  );
});

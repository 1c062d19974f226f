import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { emptyKubeconfig, type Kubeconfig, parseKubeconfig, printKubeconfig } from './kubeconfig.ts';
import { kubeconfigConflicts, mergeKubeconfig } from './merge-kubeconfig.ts';
import { readKubeconfig } from './read-kubeconfig.ts';
import { rewriteKubeconfig } from './rewrite-kubeconfig.ts';

/** A kubeconfig with one context, as a node sends it. */
function configOf(cluster: string, server = 'https://a', key = 'K'): Kubeconfig {
  const user = `admin@${cluster}`;
  return {
    ...emptyKubeconfig,
    clusters: [{ name: cluster, cluster: { server } }],
    users: [{ name: user, user: { 'client-key-data': key } }],
    contexts: [{ name: user, context: { cluster, user, namespace: 'default' } }],
    currentContext: user,
  };
}

const keepBoth = { overwrites: () => false };
const overwrite = { overwrites: () => true };
const names = ({ clusters, users, contexts, currentContext }: Kubeconfig) => [
  clusters.map(({ name }) => name),
  users.map(({ name }) => name),
  contexts.map(({ name, context }) => [name, context.cluster, context.user]),
  currentContext,
];

test('mergeKubeconfig() adds a cluster and makes its context the current one', () => {
  const { config, renames } = mergeKubeconfig(configOf('a'), configOf('b'), keepBoth);
  assert.deepEqual(names(config), [
    ['a', 'b'],
    ['admin@a', 'admin@b'],
    [
      ['admin@a', 'a', 'admin@a'],
      ['admin@b', 'b', 'admin@b'],
    ],
    'admin@b',
  ]);
  assert.deepEqual(renames, []);
});

test('mergeKubeconfig() carries the new name of a cluster into its user and its context', () => {
  const { config, renames } = mergeKubeconfig(configOf('a'), configOf('a', 'https://other'), keepBoth);
  assert.deepEqual(names(config), [
    ['a', 'a-1'],
    ['admin@a', 'admin@a-1'],
    [
      ['admin@a', 'a', 'admin@a'],
      ['admin@a-1', 'a-1', 'admin@a-1'],
    ],
    'admin@a-1',
  ]);
  assert.deepEqual(renames, [
    { part: 'cluster', from: 'a', to: 'a-1' },
    { part: 'auth info', from: 'admin@a', to: 'admin@a-1' },
    { part: 'context', from: 'admin@a', to: 'admin@a-1' },
  ]);
});

test('mergeKubeconfig() renames only what differs, overwrites on request, and names the context as told', () => {
  const fresh = configOf('a', 'https://a', 'OTHER');
  assert.deepEqual(kubeconfigConflicts(configOf('a'), fresh), [{ part: 'auth info', name: 'admin@a' }]);
  const kept = mergeKubeconfig(configOf('a'), fresh, keepBoth).config;
  assert.deepEqual(
    kept.users.map(({ name }) => name),
    ['admin@a', 'admin@a-1'],
  );
  assert.deepEqual(mergeKubeconfig(configOf('a'), fresh, overwrite).config, fresh);
  const named = mergeKubeconfig(configOf('a'), fresh, { ...overwrite, contextName: 'mine' }).config;
  assert.deepEqual([named.currentContext, named.contexts.at(-1)?.name], ['mine', 'mine']);
});

const name = fc.constantFrom('a', 'b', 'a-1', 'admin@a', '__proto__', 'constructor');
const someConfig = fc
  .tuple(name, fc.constantFrom('https://a', 'https://b'), fc.constantFrom('K', 'L'))
  .map(([cluster, server, key]) => configOf(cluster, server, key));

test('mergeKubeconfig() without overwriting keeps every entry, and every context has its cluster and user', () => {
  fc.assert(
    fc.property(fc.array(someConfig, { minLength: 1, maxLength: 6 }), (configs) => {
      const merged = configs.reduce(
        (base, next) => mergeKubeconfig(base, next, keepBoth).config,
        emptyKubeconfig,
      );
      const wanted = configs.flatMap(({ clusters }) =>
        clusters.map((entry) => JSON.stringify(entry.cluster)),
      );
      const found = merged.clusters.map((entry) => JSON.stringify(entry.cluster));
      assert.deepEqual(new Set(found), new Set(wanted));
      const [clusters, users] = [merged.clusters, merged.users].map((list) =>
        list.map((entry) => entry.name),
      );
      assert.equal(new Set(clusters).size, clusters?.length);
      assert.equal(new Set(users).size, users?.length);
      for (const { context } of merged.contexts)
        assert.ok(clusters?.includes(context.cluster) && users?.includes(context.user));
      const last = configs.at(-1);
      const current = merged.contexts.find((entry) => entry.name === merged.currentContext)?.context;
      const server = merged.clusters.find((entry) => entry.name === current?.cluster)?.cluster;
      assert.deepEqual(server, last?.clusters[0]?.cluster);
      assert.deepEqual(parseKubeconfig(printKubeconfig(merged), 'it'), merged);
    }),
  );
});

test('rewriteKubeconfig() changes only what changed, and gives the merged configuration', () => {
  const flow = 'clusters: []\nusers: null\nextensions: [x]\ncurrent-context: "old" # here\n';
  const numbers = `# top
users: # ours
  - { name: b, user: { password: 0012345678901234567890, port: 0o17, ratio: 1.10, big: 1e3, on: True, none: ~ } }
clusters:
  - name: a
    cluster: { server: "https://\\x61" }
`;
  for (const text of ['', '# only a comment\n', flow, numbers, printKubeconfig(configOf('z'))]) {
    const base = parseKubeconfig(text, 'it');
    for (const options of [keepBoth, overwrite]) {
      const { config } = mergeKubeconfig(base, configOf('a'), options);
      const written = rewriteKubeconfig(text, config);
      assert.deepEqual(parseKubeconfig(written, 'it'), config, text);
      assert.equal(rewriteKubeconfig(written, config), written);
    }
  }
  const merged = mergeKubeconfig(parseKubeconfig(numbers, 'it'), configOf('c'), keepBoth).config;
  const lines = rewriteKubeconfig(numbers, merged).split('\n');
  for (const line of numbers.split('\n').filter((each) => /^#|password/.test(each)))
    assert.ok(lines.includes(line), line);
  assert.match(lines.join('\n'), /# ours$/m);
});

test('parseKubeconfig() keeps unknown fields and never quotes a file that it refuses', () => {
  const text =
    'apiVersion: v1\nkind: Config\nextensions: [x]\nclusters: [{ name: a, cluster: { proxy-url: p }, z: 1 }]\n';
  const parsed = parseKubeconfig(text, 'file');
  assert.deepEqual([parsed.others.extensions, parsed.clusters[0]?.z], [['x'], 1]);
  assert.match(printKubeconfig(parsed), /proxy-url: p/);
  assert.deepEqual(parseKubeconfig('', 'file'), emptyKubeconfig);
  for (const secret of ['SECRET: [', '[SECRET]', 'kind: SECRET', 'users: SECRET', 'users: [{ x: SECRET }]'])
    assert.throws(
      () => parseKubeconfig(secret, 'file'),
      (error: Error) => /^file is no kubeconfig/.test(error.message) && !error.message.includes('SECRET'),
    );
});

/** A node that answers with these messages. */
const nodeWith = (...messages: Uint8Array[]) =>
  ({
    machine: {
      async *kubeconfig() {
        for (const bytes of messages) yield { bytes };
      },
    },
  }) as unknown as Parameters<typeof readKubeconfig>[0];

async function archive(file: string, text: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: file }, text);
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const signal = new AbortController().signal;

test('readKubeconfig() joins the messages, and accepts an archive without its end', async () => {
  const text = printKubeconfig(configOf('a'));
  const whole = await archive('kubeconfig', text);
  const bytes = gzipSync(whole);
  assert.equal(await readKubeconfig(nodeWith(bytes.subarray(0, 40), bytes.subarray(40)), signal), text);
  const open = gzipSync(whole.subarray(0, 512 + text.length));
  assert.equal(await readKubeconfig(nodeWith(open), signal), text);
});

test('readKubeconfig() refuses everything that is no kubeconfig, in bounded memory', async () => {
  const refused = (...messages: Uint8Array[]) =>
    assert.rejects(readKubeconfig(nodeWith(...messages), signal), { kind: 'data-loss' });
  await refused();
  await refused(Buffer.from('no archive'));
  await refused(gzipSync(Buffer.from('no archive')));
  await refused(gzipSync(await archive('other', 'x')));
  await refused(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
  await refused(...Array.from({ length: 40 }, () => Buffer.alloc(32 * 1024)));
});

/** A kubeconfig in the order and with the fields that nodes send. */
const parts = {
  document: 'apiVersion: v1\nkind: Config',
  clusters:
    'clusters: [{ name: a, cluster: { server: "https://a:6443", certificate-authority-data: Q0E= } }]',
  users: 'users: [{ name: me, user: { client-certificate-data: Q1JU, client-key-data: S0VZ } }]',
  contexts: 'contexts: [{ name: me@a, context: { cluster: a, user: me, namespace: default } }]',
  current: 'current-context: me@a',
};
const readText = async (changes: Partial<typeof parts>) => {
  const text = `${Object.values({ ...parts, ...changes }).join('\n')}\n`;
  return readKubeconfig(nodeWith(gzipSync(await archive('kubeconfig', text))), signal);
};
const userOf = (fields: string) => ({ users: `users: [{ name: me, user: ${fields} }]` });
const clusterOf = (fields: string) => ({ clusters: `clusters: [{ name: a, cluster: ${fields} }]` });

test('readKubeconfig() rebuilds what a node sends from the fields that an administrator needs', async () => {
  const others = clusterOf('{ tls-server-name: kubernetes, server: "https://[fd00::1]:6443/api" }');
  const written = await readText({
    ...others,
    ...userOf('{ token: 0123 }'),
    document: `${parts.document}\npreferences: {} # x`,
  });
  assert.deepEqual(parseKubeconfig(written, 'it'), {
    ...emptyKubeconfig,
    clusters: [
      { name: 'a', cluster: { server: 'https://[fd00::1]:6443/api', 'tls-server-name': 'kubernetes' } },
    ],
    users: [{ name: 'me', user: { token: '0123' } }],
    contexts: [{ name: 'me@a', context: { cluster: 'a', user: 'me', namespace: 'default' } }],
    currentContext: 'me@a',
  });
  assert.doesNotMatch(written, /#/);
});

test('readKubeconfig() refuses every field that it does not know, by its name', async () => {
  const refused = async (changes: Partial<typeof parts>, message: RegExp) =>
    assert.rejects(readText(changes), (error: Error & { kind?: string }) => {
      assert.match(error.message, message, JSON.stringify(changes));
      return error.kind === 'data-loss' && !error.message.includes('SECRET');
    });
  for (const key of [
    'exec',
    'auth-provider',
    'tokenFile',
    'client-key',
    'client-certificate',
    'username',
    'as',
    'extensions',
    '<<',
  ])
    await refused(
      userOf(`{ token: t, "${key}": { exec: SECRET } }`),
      new RegExp(`user has the key "${key}"`),
    );
  await refused(userOf('{ <<: { exec: { command: SECRET } } }'), /user has the key "<<"/);
  await refused(userOf('{ !!merge <<: { exec: { command: SECRET } } }'), /a key of user has a tag/);
  for (const key of [
    'proxy-url',
    'insecure-skip-tls-verify',
    'certificate-authority',
    'disable-compression',
    'extensions',
  ])
    await refused(
      clusterOf(`{ server: "https://a", ${key}: SECRET }`),
      new RegExp(`cluster has the key "${key}"`),
    );
  await refused(
    { contexts: 'contexts: [{ name: c, context: { cluster: a, user: me, extensions: [] } }]' },
    /"extensions"/,
  );
  await refused({ document: `${parts.document}\nextensions: []` }, /it has the key "extensions"/);
  await refused(
    { document: `${parts.document}\npreferences: { colors: true }` },
    /preferences has the key "colors"/,
  );
  await refused({ document: 'apiVersion: v2\nkind: Config' }, /apiVersion/);
});

test('readKubeconfig() refuses references, and a context that joins what the node did not send', async () => {
  const refused = async (changes: Partial<typeof parts>, message: RegExp) =>
    assert.rejects(readText(changes), { kind: 'data-loss', message });
  await refused({ ...clusterOf('&c { server: "https://a" }'), ...userOf('*c') }, /user is an alias/);
  await refused(
    { ...clusterOf('{ server: &c "https://a" }'), ...userOf('{ token: *c }') },
    /token is an alias/,
  );
  await refused(userOf('{ token: !!binary dA== }'), /token has a tag/);
  await refused(userOf('!!map { token: t }'), /user has a tag/);
  await refused(userOf('{ token: [t] }'), /token is not a text/);
  for (const server of ['http://a:6443', 'file:///a', 'https://u:p@a', 'https://a?b', '', 'https://a\\b'])
    await refused(clusterOf(`{ server: '${server}' }`), /server/);
  // The credentials of the user's own file would go to the server of the node.
  await refused(
    { contexts: 'contexts: [{ name: me@a, context: { cluster: a, user: admin@prod } }]' },
    /another cluster or user/,
  );
  await refused(
    { contexts: 'contexts: [{ name: me@a, context: { cluster: prod, user: me } }]' },
    /another cluster or user/,
  );
  await refused({ current: 'current-context: admin@prod' }, /current-context/);
  await refused(
    { users: 'users: [{ name: me, user: {} }, { name: me, user: {} }]' },
    /users is not a list of one/,
  );
  await refused({ current: `${parts.current}\n---\nkind: Config` }, /not YAML/);
  await refused({ current: `${parts.current}\nusers: []` }, /not YAML/);
  await refused({ users: `users: ${'['.repeat(100_000)}` }, /not YAML/);
});

test('mergeKubeconfig() lets no context lead elsewhere without consent, and says which it kept', () => {
  const prod = configOf('prod');
  const evil = {
    ...configOf('evil', 'https://evil'),
    contexts: [{ name: 'admin@prod', context: { cluster: 'evil', user: 'admin@evil' } }],
    currentContext: 'admin@prod',
  };
  const kept = mergeKubeconfig(prod, { ...evil, users: [{ name: 'admin@evil', user: {} }] }, keepBoth);
  assert.deepEqual(kept.keptContexts, [{ part: 'context', name: 'admin@prod' }]);
  assert.deepEqual(kept.config.contexts[0], prod.contexts[0]);
  assert.equal(kept.config.currentContext, 'admin@prod-1');
  const replaced = mergeKubeconfig(prod, evil, overwrite).config;
  assert.deepEqual(replaced.contexts, evil.contexts);
  // A context that leads to the same server is replaced, as upstream does it.
  const same = { ...prod, contexts: [{ name: 'admin@prod', context: { cluster: 'prod', user: 'other' } }] };
  assert.deepEqual(mergeKubeconfig(same, prod, keepBoth).config.contexts, prod.contexts);
});

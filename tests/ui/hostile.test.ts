// Every text of every node is markup, a terminal sequence and reversed text at once, in every view of the page.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openTalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { pointerTo } from '@nodewright/state';
import {
  hostnameStatuses,
  machineConfigs,
  members,
  nodeStatuses,
  staticPodStatuses,
  yamlSpecAnnotation,
} from '@nodewright/state/kinds';
import type { Browser } from 'playwright-core';
import { ClusterPages } from '../../cli/talosctl/src/ui/collect/cluster-pages.ts';
import { readPageFiles } from '../../cli/talosctl/src/ui/server/page-files.ts';
import { PageServer } from '../../cli/talosctl/src/ui/server/page-server.ts';
import { FakeCluster } from '../contract/talosctl/fake-cluster.ts';
import { sampleConfig } from '../contract/talosctl/fake-nodes.ts';
import { type HostileMode, hostileHandlers } from '../contract/talosctl/hostile-replies.ts';
import { openNodeStore, stateHandlers } from '../contract/talosctl/state-replies.ts';
import { noBrowser, openChromium } from './browser.ts';
import { openPage, waitMs } from './opened-page.ts';

const markup =
  '<img src=x onerror=hit()><script>hit()</script><svg onload=hit()></svg>"\'><a href="javascript:hit()">evil</a>\u001b[2J\u202egnp\u2066\u200b\ufeff\u0007';
const traceId = 'a'.repeat(32);
/** A trace whose every text is the markup. */
const trace = {
  traceID: traceId,
  spans: [
    {
      ...{ spanID: '1', operationName: markup, processID: markup, startTime: 1, duration: 1 },
      tags: [{ key: markup, value: markup }],
    },
  ],
  processes: { [markup]: { serviceName: markup, tags: [{ key: 'host.name', value: markup }] } },
};

/** A Jaeger that has this trace. */
async function openJaeger(): Promise<string> {
  const jaeger = createServer((_request, response) => response.end(JSON.stringify({ data: [trace] })));
  await new Promise<void>((resolve) => jaeger.listen(0, '127.0.0.1', resolve));
  scope.defer(() => {
    jaeger.closeAllConnections();
    jaeger.close();
  });
  return `http://127.0.0.1:${(jaeger.address() as AddressInfo).port}`;
}

const page = join(import.meta.dirname, '..', '..', '_out', 'dist', 'talosctl', 'ui');
const scope = new AsyncDisposableStack();
let browser: Browser;
let server: PageServer;
let mode: HostileMode = 'messages';

before(async () => {
  if (noBrowser) return;
  const kinds = [hostnameStatuses, machineConfigs, members, nodeStatuses, staticPodStatuses];
  const store = await openNodeStore(kinds, [
    { ...pointerTo(hostnameStatuses, 'hostname'), spec: { hostname: markup, domainname: markup } },
    {
      ...pointerTo(members, markup),
      spec: {
        nodeId: markup,
        addresses: ['10.0.0.1'],
        hostname: markup,
        machineType: 'worker',
        operatingSystem: markup,
        controlPlane: undefined,
      },
    },
    {
      ...pointerTo(nodeStatuses, markup),
      spec: {
        ...{ nodename: markup, nodeReady: false, unschedulable: true, annotations: {}, podCIDRs: [] },
        labels: { [`node-role.kubernetes.io/${markup}`]: '' },
      },
    },
    {
      ...pointerTo(staticPodStatuses, markup),
      spec: {
        podStatus: { phase: markup, reason: markup, conditions: markup, containerStatuses: { markup } },
      },
    },
    { ...pointerTo(machineConfigs, 'v1alpha1'), spec: sampleConfig, annotations: yamlSpecAnnotation },
  ] as never);
  const cluster = scope.use(await FakeCluster.create());
  const state = stateHandlers(kinds, () => store);
  const resources = Object.fromEntries(
    Object.entries(state).map(([path, handler]) => [
      path,
      (call: Parameters<typeof handler>[0]) => (mode === 'failure' ? call.fail(13, markup) : handler(call)),
    ]),
  );
  const gateway = await cluster.gateway({ ...hostileHandlers(() => mode, markup), ...resources });
  const path = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01', 'node02'] });
  const config = parseTalosconfig(await readFile(path, 'utf8'));
  const client = scope.use(openTalosClient({ context: config.contexts.get('test') }));
  const now = () => new Date();
  const session = 'session-of-the-test';
  const backend = scope.use(
    new ClusterPages({
      ...{ client, nodes: client.targets, session, context: markup, now },
      traces: { jaeger: await openJaeger() },
    }),
  );
  server = scope.use(
    await PageServer.listen({ files: await readPageFiles(page), backend, port: 0, now: Date.now }),
  );
  browser = await openChromium();
  scope.defer(() => browser.close());
});
after(() => scope.disposeAsync());

const views = [
  ...[
    '',
    'node/node01',
    'node/node01/services',
    'node/node01/processes',
    'node/node01/storage',
    'node/node01/network',
    'node/node01/pods',
  ],
  ...[
    'logs?logs=kernel,evil&level=debug',
    'events',
    'resources/HostnameStatuses.net.talos.dev/hostname?with=node02',
  ],
  ...['resources/Members.cluster.talos.dev', 'health', 'configuration?with=node02', 'controllers'],
  ...['traces', `traces/${traceId}`],
  ...[
    'configuration?edit=1',
    'what-if?nodes=node01,node02',
    'what-if?nodes=node01&action=restart&service=apid',
  ],
  // The address comes from whoever made a link.
  ...[
    encodeURIComponent(markup),
    `node/${encodeURIComponent(markup)}`,
    `logs?text=${encodeURIComponent(markup)}`,
  ],
  `events?actor=${encodeURIComponent(markup)}`,
  `what-if?nodes=node01&action=stop&service=${encodeURIComponent(markup)}`,
  `what-if?nodes=node01&action=remove-member&member=${encodeURIComponent(markup)}`,
  `resources/${encodeURIComponent(markup)}/${encodeURIComponent(markup)}`,
];

for (const each of ['messages', 'metadata', 'failure'] as const) {
  test(`no text of a node runs, builds or hides anything in the page (${each})`, {
    skip: noBrowser,
    timeout: 2 * waitMs,
  }, async () => {
    mode = each;
    const opened = await openPage(browser, `${server.address}#token=${server.issueToken().text}`);
    const { page: shown } = opened;
    await shown.evaluate('globalThis.hits = 0; globalThis.hit = () => { hits += 1 }');
    await shown.getByRole('heading', { name: /^Cluster/ }).waitFor();
    const withText = new Set<string>();
    const least = each === 'messages' ? 9 : 3;
    /** Looks at all views, each after some time in which its data may arrive. */
    const lookAtAll = async (pauseMs: number) => {
      for (const view of views) {
        await shown.goto(new URL(`#/${view}`, server.address).href);
        await shown.waitForTimeout(pauseMs);
        const history = shown.getByRole('button', { name: /^History/ }).first();
        if (await history.isVisible()) await history.click();
        const text = await shown.locator('body').innerText();
        if (text.includes('onerror=hit()')) withText.add(view);
        assert.doesNotMatch(text.replaceAll(/[\n\t]/g, ''), /[\p{Cc}\p{Cf}]/u, view);
        // The page's own sign and its own script.
        const made = await shown
          .locator('script, iframe, img, a[href^="javascript:"], [onerror], [onload]')
          .count();
        assert.equal(made, 2, `${view}: an element was made of a text`);
      }
    };
    await lookAtAll(400);
    // On a busy machine the data of most views takes longer.
    for (let pauseMs = 1000; withText.size < least && pauseMs < 10_000; pauseMs *= 2)
      await lookAtAll(pauseMs);
    assert.equal(await shown.evaluate('hits'), 0);
    assert.deepEqual([opened.errors, opened.foreign], [[], []]);
    assert.ok(withText.size >= least, `only ${[...withText].join()} show the text`);
    await shown.close();
  });
}

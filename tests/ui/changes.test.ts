// What the page does when the cluster changes while a user looks at it: in a browser, with a test in the place of the nodes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ConversionAnswer, ShownConfiguration } from '../../cli/talosctl/src/ui/protocol/calls.ts';
import { keyOf } from '../../cli/talosctl/src/ui/protocol/subscription.ts';
import { accessibilityFaults, noBrowser, openChromium } from './browser.ts';
import { openPage, waitMs } from './opened-page.ts';
import { ScriptedPage } from './scripted-page.ts';

const scope = new AsyncDisposableStack();
const options = { skip: noBrowser, timeout: 2 * waitMs };
let browser: Browser;

before(async () => {
  if (noBrowser) return;
  browser = await openChromium();
  scope.defer(() => browser.close());
});
after(() => scope.disposeAsync());

/** A page at this place; closing it checks that nothing went wrong in it. */
async function openAt(scripted: ScriptedPage, hash: string): Promise<{ page: Page } & AsyncDisposable> {
  const { page, errors, foreign } = await openPage(browser, scripted.link);
  await page.getByRole('heading', { name: /^Cluster/ }).waitFor();
  await page.goto(new URL(hash, scripted.server.address).href);
  return {
    page,
    async [Symbol.asyncDispose]() {
      await page.close();
      assert.deepEqual([errors, foreign], [[], []]);
    },
  };
}

const versionOf = (text: string): ShownConfiguration => ({ text, version: `version of ${text}` });
const configurations = {
  first: versionOf('machine:\n    type: worker\n'),
  theirs: versionOf('machine:\n    type: worker\n    sysctls:\n        net.ipv4.ip_forward: "1"\n'),
};

function sendConfiguration(scripted: ScriptedPage, configuration: ShownConfiguration): void {
  const key = keyOf({ kind: 'configuration', node: 'node01' });
  scripted.send({ kind: 'feed', key, event: { kind: 'configuration', configuration } });
}

async function openEditor() {
  const scripted = await ScriptedPage.open(['node01']);
  scripted.answers.check = () => ({ errors: [], warnings: [] });
  scripted.answers.try = ({ text }) => ({ tried: versionOf(String(text)) });
  sendConfiguration(scripted, configurations.first);
  const opened = await openAt(scripted, '#/configuration?node=node01&edit=1');
  const editor = opened.page.getByRole('textbox', { name: 'Configuration of node01' });
  await editor.getByText('type: worker').waitFor();
  return {
    ...{ scripted, page: opened.page, editor },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await scripted[Symbol.asyncDispose]();
    },
  };
}

test(
  'an editor that nobody has used follows the node, and its first key changes what the node has now',
  options,
  async () => {
    await using opened = await openEditor();
    const { scripted, page, editor } = opened;
    await editor.focus();
    sendConfiguration(scripted, configurations.theirs);
    await editor.getByText('net.ipv4.ip_forward').waitFor();
    // What the node had before cannot come back by accident.
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# mine');
    await page.getByText('The text is valid.').waitFor();
    assert.equal(await page.getByRole('region', { name: 'Changed meanwhile', exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Try it', disabled: false }).waitFor();
    assert.deepEqual(
      scripted.requests.filter(({ name }) => name === 'try'),
      [
        {
          name: 'try',
          body: {
            ...{ node: 'node01', text: `${configurations.theirs.text}# mine`, seconds: 60 },
            over: configurations.theirs.version,
          },
        },
      ],
    );
  },
);

test(
  'a draft says when the configuration it began with has changed, and is not tried before its user has decided',
  options,
  async () => {
    await using opened = await openEditor();
    const { scripted, page, editor } = opened;
    await editor.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# mine');
    await page.getByText('The text is valid.').waitFor();
    sendConfiguration(scripted, configurations.theirs);
    const notice = page.getByRole('region', { name: 'Changed meanwhile', exact: true });
    await notice.locator('.added', { hasText: 'net.ipv4.ip_forward' }).waitFor();
    const tryIt = page.getByRole('button', { name: 'Try it' });
    assert.equal(await tryIt.isDisabled(), true);
    assert.equal(await editor.getByText('# mine').count(), 1, 'the draft is kept');
    assert.deepEqual(await accessibilityFaults(page), []);
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/changed-meanwhile.png` });

    await notice.getByRole('button', { name: 'Go on with my text' }).click();
    await notice.waitFor({ state: 'detached' });
    assert.equal(await tryIt.isDisabled(), false);
    await tryIt.click();
    await page.getByRole('button', { name: 'Try it', disabled: false }).waitFor();
    const sent = scripted.requests.find(({ name }) => name === 'try')?.body;
    assert.deepEqual(
      [sent?.text, sent?.over],
      [`${configurations.first.text}# mine`, configurations.theirs.version],
    );

    await page.getByRole('button', { name: 'Discard' }).click();
    await editor.getByText('net.ipv4.ip_forward').waitFor();
    assert.equal(await editor.getByText('# mine').count(), 0);
  },
);

const conversionOf = (after: string, isProven: boolean): ConversionAnswer => ({
  ...{ before: configurations.first.text, after },
  notes: ['UnattendedInstallConfig: reboot written out: true, as a node does after an installation'],
  proof: {
    ...{ isProven, equalFiles: 8, unproven: ['not proven: links: they depend on the links of the machine'] },
    differences: [
      { cause: 'form', line: 'form only: file kube-proxy.yaml is different: a file in place of flags' },
      ...(isProven
        ? []
        : [
            {
              cause: 'unnamed' as const,
              line: 'DIFFERENT: setting sysctls.a is different: nothing says why',
            },
          ]),
    ],
  },
});

test(
  'a conversion is shown before it gets into the editor, by keys alone, and is then tried as any other text',
  options,
  async () => {
    await using opened = await openEditor();
    const { scripted, page, editor } = opened;
    const converted = 'machine:\n    type: worker\n---\napiVersion: v1alpha1\nkind: SysctlConfig\n';
    scripted.answers.convert = ({ to }) =>
      to === '1.14' ? conversionOf(converted, true) : conversionOf('other: 1\n', false);
    const convert = page.getByRole('button', { name: 'Convert', exact: true });
    await convert.focus();
    await page.keyboard.press('Enter');
    const shown = page.getByRole('region', { name: 'Conversion to 1.14' });
    await shown.getByText('Every difference has a named cause. 8 files are equal byte by byte.').waitFor();
    await shown.getByText(/^UnattendedInstallConfig: reboot written out/).waitFor();
    await shown.locator('.added', { hasText: 'kind: SysctlConfig' }).waitFor();
    const summary = shown.getByText('1 part is not proven');
    await summary.focus();
    await page.keyboard.press('Enter');
    await shown.getByText('not proven: links').waitFor();
    for (const scheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      assert.deepEqual(await accessibilityFaults(page), [], scheme);
      if (process.env.PICTURES)
        await page.screenshot({ path: `${process.env.PICTURES}/conversion-${scheme}.png`, fullPage: true });
    }
    assert.equal(await editor.getByText('SysctlConfig').count(), 0, 'the editor has its own text until then');

    await shown.getByRole('button', { name: 'Put it into the editor' }).focus();
    await page.keyboard.press('Enter');
    await shown.waitFor({ state: 'detached' });
    await editor.getByText('SysctlConfig').waitFor();
    assert.equal(await page.evaluate<string>('document.activeElement?.textContent'), 'Convert');
    const changes = scripted.requests.filter(({ name }) => ['try', 'keep', 'act'].includes(name));
    assert.deepEqual(changes, [], 'a conversion changes nothing');
    await page.getByRole('button', { name: 'Try it', disabled: false }).click();
    await page.getByRole('button', { name: 'Try it', disabled: false }).waitFor();
    assert.equal(scripted.requests.find(({ name }) => name === 'try')?.body.text, converted);

    await page.getByLabel('Convert to').selectOption('1.13');
    await convert.click();
    const back = page.getByRole('region', { name: 'Conversion to 1.13' });
    await back
      .getByRole('alert')
      .getByText(/^Something is different without a named cause/)
      .waitFor();
    assert.equal(await back.getByRole('button', { name: 'Put it into the editor' }).isDisabled(), true);
    assert.deepEqual(await accessibilityFaults(page), []);
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/conversion-refused.png`, fullPage: true });
    await back.getByRole('button', { name: 'Close' }).click();
    await back.waitFor({ state: 'detached' });
  },
);

const effectOf = (line: string) => ({ lines: [line], stops: [], question: 'Continue? (y/N)' });
const away = { kind: 'away', sinceMs: 0, message: 'no route' } as const;

test(
  'what would happen is asked again when a node goes away and when the question opens, and Yes acts once',
  options,
  async () => {
    await using scripted = await ScriptedPage.open(['node01', 'node02', 'node03']);
    let asked = 0;
    let isAnswered = Promise.resolve();
    scripted.answers.effect = async () => {
      asked += 1;
      const answer = effectOf(`effect number ${asked}`);
      await isAnswered;
      return answer;
    };
    await using opened = await openAt(scripted, '#/what-if?nodes=node01&action=reboot');
    const { page } = opened;
    await page.getByText('effect number 1').waitFor();
    // A voter that is not among the chosen nodes.
    scripted.reach({ node03: away });
    await page.getByText('effect number 2').waitFor();

    await page.getByRole('button', { name: 'Do it …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('effect number 3').waitFor();
    const answer = Promise.withResolvers<void>();
    isAnswered = answer.promise;
    scripted.reach({ node02: away });
    await dialog.getByText(/what would happen now/).waitFor();
    const yes = dialog.getByRole('button', { name: 'Yes' });
    assert.equal(await yes.isDisabled(), true, 'the effect that is known is outdated');
    answer.resolve();
    await dialog.getByText('effect number 4').waitFor();
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/what-if.png` });

    const acted = Promise.withResolvers<void>();
    scripted.answers.act = () => acted.promise;
    await yes.dblclick();
    await page.keyboard.press('Enter');
    acted.resolve();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(scripted.requests.filter(({ name }) => name === 'act').length, 1);
  },
);

test('an action of which it is not known whether it arrived is not sent again', options, async () => {
  await using scripted = await ScriptedPage.open(['node01']);
  scripted.answers.effect = () => effectOf('node01 reboots');
  scripted.answers.act = () => {
    throw new Error('it broke');
  };
  const { page } = await openPage(browser, scripted.link);
  await page.getByRole('heading', { name: /^Cluster/ }).waitFor();
  await page.goto(new URL('#/what-if?nodes=node01&action=reboot', scripted.server.address).href);
  await page.getByRole('button', { name: 'Do it …' }).click();
  const dialog = page.getByRole('dialog');
  const yes = dialog.getByRole('button', { name: 'Yes' });
  await yes.click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(await yes.isDisabled(), true);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.close();
});

test(
  'a link that is opened in the tab of the page opens a session there, and its token leaves the address',
  options,
  async () => {
    await using scripted = await ScriptedPage.open(['node01']);
    const { address } = scripted.server;
    // A link that has been used already.
    const { page } = await openPage(browser, `${address}#token=${'x'.repeat(32)}`);
    await page.getByRole('alert').waitFor();
    await page.goto(scripted.link);
    await page.getByRole('heading', { name: /^Cluster/ }).waitFor();
    assert.equal(page.url(), address);

    // A page that is open stays where it is, with its new session.
    await page.goto(new URL('#/health', address).href);
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.goto(scripted.link);
    await page.waitForURL(`${address}#/health`);
    await page.locator('.link-state.open').waitFor();
    scripted.reach({ node01: away });
    await page.getByText(/^away for/).waitFor();
    await page.goto(`${address}#token=${'x'.repeat(32)}`);
    await page
      .getByRole('alert')
      .getByText(/^The new link was refused/)
      .waitFor();
    assert.equal(page.url(), `${address}#/health`);
    await page.close();
  },
);

test('Back leads out of the view of a node', options, async () => {
  await using scripted = await ScriptedPage.open(['node01', 'node02']);
  await using opened = await openAt(scripted, '#/health');
  const { page } = opened;
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: 'Node', exact: true })
    .click();
  await page.getByRole('heading', { name: /node01/ }).waitFor();
  await page.waitForURL(/#\/node\/node01$/);
  await page.goBack();
  await page.waitForURL(/#\/health$/);
  await page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
});

test('no tile is green, and no check either, when no node can be reached', options, async () => {
  await using scripted = await ScriptedPage.open(['node01', 'node02']);
  scripted.health([{ name: 'etcd to be healthy', state: 'passed', sinceMs: 0 }]);
  await using opened = await openAt(scripted, '#/cluster');
  const { page } = opened;
  await page.locator('.tile.good', { hasText: 'healthy' }).waitFor();
  assert.equal(await page.locator('.tile.good').count(), 3);
  scripted.reach({ node01: away, node02: away });
  await page.locator('.tile.bad', { hasText: '0 of 2' }).waitFor();
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/away.png` });
  assert.equal(await page.locator('.tile.good').count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
});

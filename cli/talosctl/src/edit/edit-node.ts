import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import type { ApplyReport } from '../configuration/apply-report.ts';
import { activeId, configurationKind } from '../configuration/configuration-kind.ts';
import { refuseCut } from '../configuration/confirm-cut.ts';
import { refuseForeign } from '../configuration/confirm-foreign.ts';
import { activeConfiguration } from '../configuration/node-configuration.ts';
import { type ChangeOptions, sendChange } from '../configuration/walk-nodes.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { escapeText } from '../output/escape-text.ts';
import { EditFile } from './edit-file.ts';
import { runEditor } from './run-editor.ts';

/** Failures that editing the text cannot fix. The editor is not reopened after them. */
const beyondEditing: readonly FaultKind[] = [
  ...(['unavailable', 'deadline-exceeded', 'cancelled'] as const),
  ...(['permission-denied', 'unauthenticated', 'unimplemented'] as const),
];

export interface EditNodeInit {
  readonly env: CliEnvironment;
  readonly node: NodeClient;
  readonly client: TalosClient;
  /** The command line of the editor. */
  readonly editor: string;
  readonly options: ChangeOptions;
  readonly report: ApplyReport;
}

/** Compares texts without trailing whitespace, because editors add or remove a final newline. */
const isSame = (a: string, b: string) => a.trimEnd() === b.trimEnd();

/**
 * Lets the user edit the configuration of a node and sends it. When the node rejects the text, the editor opens again
 * with the reason above the text. This ends when the node accepts the text, or when the user makes no more changes. In
 * the second case the file is kept and its path printed.
 *
 * @returns `stop` when the editor failed or the user pressed Ctrl-C, so that no other node is edited
 */
export async function editNode(init: EditNodeInit): Promise<'stop' | undefined> {
  const { env, node, client, editor, options, report } = init;
  const before = await activeConfiguration(env, node);
  await using file = await EditFile.create(`${configurationKind.type}-${activeId}-edit`);
  let tried = before;
  let refusal: Fault | undefined;

  const keep = async (text: string) => {
    if (isSame(text, before)) return;
    await file.keep(text);
    report.sayLast(`your text is saved in ${file.path}: send it with "talosctl apply-config -f"`);
  };

  for (;;) {
    await file.write(headerText(node.name, refusal), tried);
    const failure = await runEditor(editor, file.path).then(
      () => undefined,
      (error) => faultFrom(error),
    );
    const text = await file.read();
    const isEmpty = text.trim() === '';
    if (failure !== undefined || env.signal.aborted) {
      report.stopped(node.name, failure ?? new Fault('cancelled', 'interrupted'));
      await keep(isEmpty ? tried : text);
      return 'stop';
    }
    if (isEmpty || isSame(text, tried) || isSame(text, before)) {
      if (refusal === undefined) {
        report.skipped(node.name, `${isEmpty ? 'the file is empty' : 'no changes'}: nothing was sent`);
        return;
      }
      report.failed(node.name, refusal);
      return void (await keep(tried));
    }
    tried = text;
    const refused = await refuseForeign(env, { node: node.name, before, after: text }, options)
      .then((fault) => fault ?? refuseCut(env, { node, client, text }, options))
      .catch(async (error) => {
        await keep(text);
        throw error;
      });
    if (refused !== undefined) {
      report.stopped(node.name, refused);
      return void (await keep(text));
    }
    try {
      report.applied(node.name, await sendChange(env, node, text, options));
      return;
    } catch (error) {
      refusal = faultFrom(error);
      if (!beyondEditing.includes(refusal.kind)) continue;
      report.failed(node.name, refusal);
      return void (await keep(text));
    }
  }
}

function headerText(node: string, refusal: Fault | undefined): string {
  const title = `Editing ${configurationKind.type}/${activeId} at node ${node}`;
  if (refusal === undefined) return title;
  return `${title}\n\nThe node rejected this configuration. Change it, or leave it unchanged to cancel. Line numbers do not count these comments.\n${escapeText(refusal.message.trimEnd())}\n`;
}

import type { NodeClient } from '@nodewright/client';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from '../command-module.ts';
import type { ApplyReport } from '../configuration/apply-report.ts';
import { activeId, configurationKind } from '../configuration/configuration-kind.ts';
import { activeConfiguration } from '../configuration/node-configuration.ts';
import { type ChangeOptions, sendChange } from '../configuration/walk-nodes.ts';
import { escapeText } from '../output/escape-text.ts';
import { EditFile } from './edit-file.ts';
import { runEditor } from './run-editor.ts';

/** Failures that no other text would mend: the editor is not opened again for them. */
const beyondEditing: readonly FaultKind[] = [
  ...(['unavailable', 'deadline-exceeded', 'cancelled'] as const),
  ...(['permission-denied', 'unauthenticated', 'unimplemented'] as const),
];

export interface EditNodeInit {
  readonly env: CliEnvironment;
  readonly node: NodeClient;
  /** Command line of the editor. */
  readonly editor: string;
  readonly options: ChangeOptions;
  readonly report: ApplyReport;
}

/** Editors add a newline at the end, or take one away. */
const isSame = (a: string, b: string) => a.trimEnd() === b.trimEnd();

/**
 * Lets the user edit the configuration of a node and sends it. What the node refuses is opened again with its reason
 * above it, until the node takes it or the user changes nothing more; then the text stays in its file, which is named.
 *
 * @returns `stop` when the user's editor failed, or the user has pressed Ctrl-C: no other node is to be edited
 */
export async function editNode(init: EditNodeInit): Promise<'stop' | undefined> {
  const { env, node, editor, options, report } = init;
  const before = await activeConfiguration(env, node);
  await using file = await EditFile.create(`${configurationKind.type}-${activeId}-edit`);
  let tried = before;
  let refusal: Fault | undefined;

  const keep = async (text: string) => {
    if (isSame(text, before)) return;
    await file.keep(text);
    report.sayLast(
      `what was written is kept in ${file.path}: it can be sent with "talosctl apply-config -f"`,
    );
  };

  for (;;) {
    await file.write(headerText(node.name, refusal), tried);
    const ended = await runEditor(editor, file.path).then(
      () => undefined,
      (error) => faultFrom(error),
    );
    const text = await file.read();
    const isEmpty = text.trim() === '';
    if (ended !== undefined || env.signal.aborted) {
      report.stopped(node.name, ended ?? new Fault('cancelled', 'interrupted'));
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
  return `${title}\n\nThe node refused it. Change it, or leave it as it is to give up. Lines are counted without these comments.\n${escapeText(refusal.message.trimEnd())}\n`;
}

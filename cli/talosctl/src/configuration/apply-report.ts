import { nodeNameInLine } from '@nodewright/client/node-name';
import type { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../command-module.ts';
import { NodeErrors } from '../node-errors.ts';
import type { OutputOptions } from '../node-options.ts';
import { escapeEntry, escapeText } from '../output/escape-text.ts';
import { OwnText, ownLines, ownText, writeOwn } from '../output/own-text.ts';
import { documentError, writeDocument } from '../render/document.ts';
import { formatGoSeconds } from '../render/go-time.ts';
import type { Applied, ApplyOptions } from './apply-options.ts';
import { colourDiff, wantsColours } from './colour-diff.ts';
import { activeId, configurationKind } from './configuration-kind.ts';

/**
 * Tells what became of a configuration on each node. Standard output stays empty unless a document is asked for; what
 * nodes say goes to stderr at once, what failed after it. Source: Talos v1.14: apply-config.
 */
export class ApplyReport {
  readonly #env: CliEnvironment;
  readonly #options: ApplyOptions & OutputOptions;
  /** In the order in which they were named. */
  readonly #nodes: readonly string[];
  readonly #entries = new Map<string, object>();
  readonly #errors: NodeErrors;
  readonly #lastLines: string[] = [];

  constructor(env: CliEnvironment, options: ApplyOptions & OutputOptions, nodes: readonly string[]) {
    this.#env = env;
    this.#options = options;
    this.#nodes = nodes;
    this.#errors = new NodeErrors(env);
  }

  /** A node has taken it, or has said what it would do. */
  applied(node: string, applied: Applied): void {
    const { mode, details, warnings } = applied;
    this.#entries.set(node, { mode, modeDetails: details, warnings, dryRun: this.#options.dryRun });
    if (this.#options.output !== 'table') return;
    const prefix = this.#nodes.length > 1 ? `${nodeNameInLine(node)}: ` : '';
    const { stderr } = this.#env;
    for (const warning of warnings) this.say(`${prefix}WARNING: ${escapeEntry(warning)}`);
    const shown = this.#details(details, prefix);
    if (shown.length > 0) writeOwn(stderr, ownLines(shown));
    const reverts = this.#revert(applied);
    for (const line of reverts) this.say(`${prefix}${line}`);
    const isSilent = warnings.length + shown.length + reverts.length === 0;
    if (isSilent && prefix !== '') this.say(`${prefix}configuration applied`);
  }

  /** What the node says it did, line by line. On a terminal lines after the first are indented. */
  #details(details: string, prefix: string): OwnText[] {
    const text = escapeText(details.trimEnd());
    if (text === '') return [];
    const lines = wantsColours(this.#env)
      ? colourDiff(text)
      : text.split('\n').map((line) => new OwnText(line));
    const [first, ...rest] = lines;
    if (first === undefined) return [];
    if (rest.length === 0) return [ownText`${prefix}${first}`];
    const indent = this.#env.stderr.isTTY ? '    ' : '';
    const indented = (line: OwnText) => ownText`${indent}${line}`;
    if (prefix === '') return [first, ...rest.map(indented)];
    return [ownText`${prefix.trimEnd()}`, ...lines.map(indented)];
  }

  /** When a node takes back what is only tried, unless it has said so itself. */
  #revert({ details }: Applied): string[] {
    const { mode, dryRun, timeout } = this.#options;
    if (mode !== 'try' || dryRun || details.trimEnd().includes('\n')) return [];
    const seconds = Number(timeout / 1_000_000n) / 1000;
    const at = new Date(this.#env.now().getTime() + seconds * 1000).toTimeString().slice(0, 8);
    return [
      `the node takes it back in ${formatGoSeconds(seconds)}, at ${at}, unless a configuration is applied in another mode before`,
    ];
  }

  /** Nothing was sent to a node. */
  skipped(node: string, why: string): void {
    this.#entries.set(node, { skipped: why });
    this.note(node, why);
  }

  /** The configuration of a node is patched. Source: Talos v1.14: patch. */
  patched(node: string): void {
    if (this.#options.output !== 'table') return;
    this.say(`patched ${configurationKind.type}/${activeId} at the node ${nodeNameInLine(node)}`);
  }

  /** A line about a node, for people. */
  note(node: string, text: string): void {
    if (this.#options.output === 'table') this.say(`${nodeNameInLine(node)}: ${text}`);
  }

  /** A line for the user, whatever the output. */
  say(line: string): void {
    this.#env.stderr.write(`${line}\n`);
  }

  /** A line for the user that belongs below the errors. */
  sayLast(line: string): void {
    this.#lastLines.push(line);
  }

  /** A node has refused it, or was not reached. */
  failed(node: string, fault: Fault): void {
    this.#entries.set(node, { error: documentError(fault) });
    this.#errors.add(node, fault, 'error applying configuration');
    if (fault.kind === 'cancelled' && this.#env.signal.aborted && !this.#options.dryRun) {
      this.say(
        `${nodeNameInLine(node)}: interrupted before it answered: it may have applied the configuration`,
      );
    }
  }

  /** A node did not show its configuration. */
  unread(node: string, fault: Fault): void {
    this.#entries.set(node, { error: documentError(fault) });
    this.#errors.add(node, fault);
  }

  /** Nothing was sent to a node, because of something here. */
  stopped(node: string, fault: Fault): void {
    this.#entries.set(node, { error: documentError(fault) });
    this.#errors.addHere(node, `${fault.message}: nothing was sent`);
  }

  /** Prints the document, if there is one, and the errors. @throws ReportedFailure when any node failed */
  async end(): Promise<void> {
    const { output } = this.#options;
    if (output !== 'table') {
      const entries = this.#nodes.flatMap((node) => {
        const entry = this.#entries.get(node);
        return entry === undefined ? [] : [{ node, ...entry }];
      });
      await writeDocument(this.#env.stdout, output, entries);
    }
    try {
      this.#errors.end();
    } finally {
      for (const line of this.#lastLines) this.say(line);
    }
  }
}
